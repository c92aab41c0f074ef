// Package guard is initialised before the program, which imports it by a name that only the tests know.
package guardANNOTATOR_KEY

import (
	"io"
	"os"
	"sort"
	"strings"
	"sync/atomic"
	"syscall"
)

var nonce [128]byte
var length int
var ran int32

// The nonce is read before anything of the program runs.
func init() {
	length, _ = syscall.Read(3, nonce[:])
	syscall.Close(3)
}

// Exit ends the process for the tests; only with 0 it gives the nonce back.
func Exit(status int) {
	if status == 0 && length > 0 {
		syscall.Write(4, nonce[:length])
	}
	syscall.Exit(status)
}

// Count counts a test that has run.
func Count(skipped bool) {
	if !skipped {
		atomic.AddInt32(&ran, 1)
	}
}

// Example runs an example and compares what it prints with what it says that it prints.
func Example(work func(), wanted string, unordered bool, fail func(string, ...any)) {
	read, write, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	printed := make(chan string)
	go func() {
		text, _ := io.ReadAll(read)
		printed <- string(text)
	}()
	shown := os.Stdout
	os.Stdout = write
	func() {
		defer func() {
			os.Stdout = shown
			write.Close()
		}()
		work()
	}()
	found, wanted := strings.TrimSpace(<-printed), strings.TrimSpace(wanted)
	if unordered {
		found, wanted = sorted(found), sorted(wanted)
	}
	if found != wanted {
		fail("printed %q, want %q", found, wanted)
	}
}

func sorted(text string) string {
	lines := strings.Split(text, "\n")
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}

// End ends the process once all tests are over.
func End(failed bool, tests int) {
	if failed {
		println("a test failed")
		Exit(1)
	}
	if int(ran) != tests {
		println(ran, "of", tests, "tests were run")
		Exit(1)
	}
	Exit(0)
}
