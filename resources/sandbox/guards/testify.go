// Package ANNOTATOR_PACKAGE has what tests of small programs use of testify, which this sandbox does not have.
package ANNOTATOR_PACKAGE

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
)

type TestingT interface {
	Errorf(format string, args ...interface{})
}

type Assertions struct{ t TestingT }

func New(t TestingT) *Assertions { return &Assertions{t} }

func report(t TestingT, holds bool, said []interface{}, format string, args ...interface{}) bool {
	if !holds {
		text := fmt.Sprintf(format, args...)
		if len(said) > 0 {
			text += ": " + fmt.Sprint(said...)
		}
		t.Errorf("%s", text)
		if fatal, ok := t.(interface{ FailNow() }); ok && "ANNOTATOR_PACKAGE" == "require" {
			fatal.FailNow()
		}
	}
	return holds
}

func ObjectsAreEqual(expected, actual interface{}) bool { return reflect.DeepEqual(expected, actual) }

func sameValue(expected, actual interface{}) bool {
	if ObjectsAreEqual(expected, actual) {
		return true
	}
	e, a := reflect.ValueOf(expected), reflect.ValueOf(actual)
	return e.IsValid() && a.IsValid() && e.Type().ConvertibleTo(a.Type()) &&
		reflect.DeepEqual(e.Convert(a.Type()).Interface(), actual)
}

func isNil(value interface{}) bool {
	if value == nil {
		return true
	}
	v := reflect.ValueOf(value)
	switch v.Kind() {
	case reflect.Chan, reflect.Func, reflect.Interface, reflect.Map, reflect.Ptr, reflect.Slice, reflect.UnsafePointer:
		return v.IsNil()
	}
	return false
}

func isEmpty(value interface{}) bool {
	if value == nil {
		return true
	}
	v := reflect.ValueOf(value)
	switch v.Kind() {
	case reflect.Chan, reflect.Map, reflect.Slice:
		return v.Len() == 0
	case reflect.Ptr:
		return v.IsNil() || isEmpty(v.Elem().Interface())
	}
	return v.IsZero()
}

func contains(list, item interface{}) bool {
	if text, ok := list.(string); ok {
		part, ok := item.(string)
		return ok && strings.Contains(text, part)
	}
	v := reflect.ValueOf(list)
	switch v.Kind() {
	case reflect.Map:
		for _, key := range v.MapKeys() {
			if ObjectsAreEqual(key.Interface(), item) {
				return true
			}
		}
	case reflect.Slice, reflect.Array:
		for i := 0; i < v.Len(); i++ {
			if ObjectsAreEqual(v.Index(i).Interface(), item) {
				return true
			}
		}
	}
	return false
}

func sameElements(a, b interface{}) bool {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	if isEmpty(a) && isEmpty(b) {
		return true
	}
	if x.Len() != y.Len() {
		return false
	}
	used := make([]bool, y.Len())
outer:
	for i := 0; i < x.Len(); i++ {
		for j := range used {
			if !used[j] && ObjectsAreEqual(x.Index(i).Interface(), y.Index(j).Interface()) {
				used[j] = true
				continue outer
			}
		}
		return false
	}
	return true
}

func number(value interface{}) float64 {
	v := reflect.ValueOf(value)
	switch v.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return float64(v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return float64(v.Uint())
	case reflect.Float32, reflect.Float64:
		return v.Float()
	}
	return math.NaN()
}

func panics(f func()) (did bool) {
	did = true
	defer func() { recover() }()
	f()
	return false
}

func near(a, b interface{}, delta float64) bool {
	x, y := number(a), number(b)
	return math.IsNaN(x) && math.IsNaN(y) || math.Abs(x-y) <= delta
}

func length(value interface{}) int {
	defer func() { recover() }()
	return reflect.ValueOf(value).Len()
}

func Equal(t TestingT, expected, actual interface{}, said ...interface{}) bool {
	return report(t, ObjectsAreEqual(expected, actual), said, "expected %#v, got %#v", expected, actual)
}

func (self *Assertions) Equal(expected, actual interface{}, said ...interface{}) bool {
	return Equal(self.t, expected, actual, said...)
}

func NotEqual(t TestingT, expected, actual interface{}, said ...interface{}) bool {
	return report(t, !ObjectsAreEqual(expected, actual), said, "got %#v", actual)
}

func (self *Assertions) NotEqual(expected, actual interface{}, said ...interface{}) bool {
	return NotEqual(self.t, expected, actual, said...)
}

func EqualValues(t TestingT, expected, actual interface{}, said ...interface{}) bool {
	return report(t, sameValue(expected, actual), said, "expected %#v, got %#v", expected, actual)
}

func (self *Assertions) EqualValues(expected, actual interface{}, said ...interface{}) bool {
	return EqualValues(self.t, expected, actual, said...)
}

func Exactly(t TestingT, expected, actual interface{}, said ...interface{}) bool {
	return report(t, ObjectsAreEqual(expected, actual), said, "expected %#v, got %#v", expected, actual)
}

func (self *Assertions) Exactly(expected, actual interface{}, said ...interface{}) bool {
	return Exactly(self.t, expected, actual, said...)
}

func True(t TestingT, value bool, said ...interface{}) bool {
	return report(t, value, said, "expected true")
}

func (self *Assertions) True(value bool, said ...interface{}) bool {
	return True(self.t, value, said...)
}

func False(t TestingT, value bool, said ...interface{}) bool {
	return report(t, !value, said, "expected false")
}

func (self *Assertions) False(value bool, said ...interface{}) bool {
	return False(self.t, value, said...)
}

func Nil(t TestingT, value interface{}, said ...interface{}) bool {
	return report(t, isNil(value), said, "expected nil, got %#v", value)
}

func (self *Assertions) Nil(value interface{}, said ...interface{}) bool {
	return Nil(self.t, value, said...)
}

func NotNil(t TestingT, value interface{}, said ...interface{}) bool {
	return report(t, !isNil(value), said, "got nil")
}

func (self *Assertions) NotNil(value interface{}, said ...interface{}) bool {
	return NotNil(self.t, value, said...)
}

func Empty(t TestingT, value interface{}, said ...interface{}) bool {
	return report(t, isEmpty(value), said, "expected nothing, got %#v", value)
}

func (self *Assertions) Empty(value interface{}, said ...interface{}) bool {
	return Empty(self.t, value, said...)
}

func NotEmpty(t TestingT, value interface{}, said ...interface{}) bool {
	return report(t, !isEmpty(value), said, "got nothing")
}

func (self *Assertions) NotEmpty(value interface{}, said ...interface{}) bool {
	return NotEmpty(self.t, value, said...)
}

func Zero(t TestingT, value interface{}, said ...interface{}) bool {
	return report(t, value == nil || reflect.ValueOf(value).IsZero(), said, "expected zero, got %#v", value)
}

func (self *Assertions) Zero(value interface{}, said ...interface{}) bool {
	return Zero(self.t, value, said...)
}

func NotZero(t TestingT, value interface{}, said ...interface{}) bool {
	return report(t, value != nil && !reflect.ValueOf(value).IsZero(), said, "got zero")
}

func (self *Assertions) NotZero(value interface{}, said ...interface{}) bool {
	return NotZero(self.t, value, said...)
}

func Len(t TestingT, value interface{}, count int, said ...interface{}) bool {
	return report(t, length(value) == count, said, "expected %d elements, got %#v", count, value)
}

func (self *Assertions) Len(value interface{}, count int, said ...interface{}) bool {
	return Len(self.t, value, count, said...)
}

func Contains(t TestingT, list, item interface{}, said ...interface{}) bool {
	return report(t, contains(list, item), said, "%#v does not contain %#v", list, item)
}

func (self *Assertions) Contains(list, item interface{}, said ...interface{}) bool {
	return Contains(self.t, list, item, said...)
}

func NotContains(t TestingT, list, item interface{}, said ...interface{}) bool {
	return report(t, !contains(list, item), said, "%#v contains %#v", list, item)
}

func (self *Assertions) NotContains(list, item interface{}, said ...interface{}) bool {
	return NotContains(self.t, list, item, said...)
}

func ElementsMatch(t TestingT, a, b interface{}, said ...interface{}) bool {
	return report(t, sameElements(a, b), said, "expected the elements of %#v, got %#v", a, b)
}

func (self *Assertions) ElementsMatch(a, b interface{}, said ...interface{}) bool {
	return ElementsMatch(self.t, a, b, said...)
}

func Error(t TestingT, err error, said ...interface{}) bool {
	return report(t, err != nil, said, "expected an error")
}

func (self *Assertions) Error(err error, said ...interface{}) bool {
	return Error(self.t, err, said...)
}

func NoError(t TestingT, err error, said ...interface{}) bool {
	return report(t, err == nil, said, "got the error %v", err)
}

func (self *Assertions) NoError(err error, said ...interface{}) bool {
	return NoError(self.t, err, said...)
}

func EqualError(t TestingT, err error, text string, said ...interface{}) bool {
	return report(t, err != nil && err.Error() == text, said, "expected the error %q, got %v", text, err)
}

func (self *Assertions) EqualError(err error, text string, said ...interface{}) bool {
	return EqualError(self.t, err, text, said...)
}

func ErrorContains(t TestingT, err error, text string, said ...interface{}) bool {
	return report(t, err != nil && strings.Contains(err.Error(), text), said, "expected an error with %q, got %v", text, err)
}

func (self *Assertions) ErrorContains(err error, text string, said ...interface{}) bool {
	return ErrorContains(self.t, err, text, said...)
}

func ErrorIs(t TestingT, err, target error, said ...interface{}) bool {
	return report(t, errors.Is(err, target), said, "expected the error %v, got %v", target, err)
}

func (self *Assertions) ErrorIs(err, target error, said ...interface{}) bool {
	return ErrorIs(self.t, err, target, said...)
}

func ErrorAs(t TestingT, err error, target interface{}, said ...interface{}) bool {
	return report(t, errors.As(err, target), said, "got the error %v", err)
}

func (self *Assertions) ErrorAs(err error, target interface{}, said ...interface{}) bool {
	return ErrorAs(self.t, err, target, said...)
}

func Panics(t TestingT, f func(), said ...interface{}) bool {
	return report(t, panics(f), said, "expected a panic")
}

func (self *Assertions) Panics(f func(), said ...interface{}) bool {
	return Panics(self.t, f, said...)
}

func NotPanics(t TestingT, f func(), said ...interface{}) bool {
	return report(t, !panics(f), said, "got a panic")
}

func (self *Assertions) NotPanics(f func(), said ...interface{}) bool {
	return NotPanics(self.t, f, said...)
}

func InDelta(t TestingT, a, b interface{}, delta float64, said ...interface{}) bool {
	return report(t, near(a, b, delta), said, "expected %v, got %v", a, b)
}

func (self *Assertions) InDelta(a, b interface{}, delta float64, said ...interface{}) bool {
	return InDelta(self.t, a, b, delta, said...)
}

func InEpsilon(t TestingT, a, b interface{}, epsilon float64, said ...interface{}) bool {
	return report(t, near(a, b, epsilon*math.Abs(number(a))), said, "expected %v, got %v", a, b)
}

func (self *Assertions) InEpsilon(a, b interface{}, epsilon float64, said ...interface{}) bool {
	return InEpsilon(self.t, a, b, epsilon, said...)
}

func Greater(t TestingT, a, b interface{}, said ...interface{}) bool {
	return report(t, number(a) > number(b), said, "%v is not greater than %v", a, b)
}

func (self *Assertions) Greater(a, b interface{}, said ...interface{}) bool {
	return Greater(self.t, a, b, said...)
}

func GreaterOrEqual(t TestingT, a, b interface{}, said ...interface{}) bool {
	return report(t, number(a) >= number(b), said, "%v is less than %v", a, b)
}

func (self *Assertions) GreaterOrEqual(a, b interface{}, said ...interface{}) bool {
	return GreaterOrEqual(self.t, a, b, said...)
}

func Less(t TestingT, a, b interface{}, said ...interface{}) bool {
	return report(t, number(a) < number(b), said, "%v is not less than %v", a, b)
}

func (self *Assertions) Less(a, b interface{}, said ...interface{}) bool {
	return Less(self.t, a, b, said...)
}

func LessOrEqual(t TestingT, a, b interface{}, said ...interface{}) bool {
	return report(t, number(a) <= number(b), said, "%v is greater than %v", a, b)
}

func (self *Assertions) LessOrEqual(a, b interface{}, said ...interface{}) bool {
	return LessOrEqual(self.t, a, b, said...)
}

func IsType(t TestingT, expected, actual interface{}, said ...interface{}) bool {
	return report(t, reflect.TypeOf(expected) == reflect.TypeOf(actual), said, "expected a %T, got a %T", expected, actual)
}

func (self *Assertions) IsType(expected, actual interface{}, said ...interface{}) bool {
	return IsType(self.t, expected, actual, said...)
}

func Fail(t TestingT, text string, said ...interface{}) bool {
	return report(t, false, said, "%s", text)
}

func (self *Assertions) Fail(text string, said ...interface{}) bool {
	return Fail(self.t, text, said...)
}
