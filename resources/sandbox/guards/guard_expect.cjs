// Preloaded for tests in the style of Jest, Vitest and Mocha: describe, it, expect and simple mocks, for the tests alone.
'use strict';
const { isDeepStrictEqual, inspect } = require('util');
const tests = globalThis[Symbol.for('annotator.ANNOTATOR_KEY')];
const reallyExit = process.reallyExit.bind(process);
const soon = setImmediate;
const report = console.error.bind(console);
const { apply, ownKeys: keysOf } = Reflect;
const typeOf = Object.getPrototypeOf;

// -- equality ----------------------------------------------------------------------------------------------------

// What stands in an expected value for any of several, such as expect.any(Number).
class Matcher {
  constructor(name, holds) {
    this.name = name;
    this.holds = holds;
  }

  [inspect.custom]() { return this.name; }
}

function equal(found, wanted, strict, seen = []) {
  if (wanted instanceof Matcher) return wanted.holds(found);
  if (found instanceof Matcher) return found.holds(wanted);
  if (Object.is(found, wanted)) return true;
  if (typeof found !== 'object' || typeof wanted !== 'object' || !found || !wanted) return false;
  if (seen.some(([one, other]) => one === found && other === wanted)) return true;
  if (strict && typeOf(found) !== typeOf(wanted)) return false;
  const deeper = [...seen, [found, wanted]];
  if (Array.isArray(found) !== Array.isArray(wanted)) return false;
  if (found instanceof Error && wanted instanceof Error) {
    return found.name === wanted.name && found.message === wanted.message;
  }
  if (found instanceof Map && wanted instanceof Map) {
    return equal([...found].sort(byText), [...wanted].sort(byText), strict, deeper);
  }
  if (found instanceof Set && wanted instanceof Set) {
    const rest = [...wanted];
    return found.size === wanted.size && [...found].every((item) => {
      const at = rest.findIndex((other) => equal(item, other, strict, deeper));
      return at >= 0 && rest.splice(at, 1).length > 0;
    });
  }
  if ([found, wanted].some((value) => value instanceof Date || value instanceof RegExp || ArrayBuffer.isView(value))) {
    return isDeepStrictEqual(found, wanted);
  }
  if (Array.isArray(found) && found.length !== wanted.length) return false;
  return equalKeys(found, wanted, strict, deeper);
}

function equalKeys(found, wanted, strict, seen) {
  const counted = (value) => keysOf(value).filter(
    (key) => Object.prototype.propertyIsEnumerable.call(value, key) && (strict || value[key] !== undefined));
  const own = counted(found);
  const others = counted(wanted);
  return own.length === others.length && others.every(
    (key) => Object.prototype.hasOwnProperty.call(found, key) && equal(found[key], wanted[key], strict, seen));
}

function byText(one, other) {
  return inspect(one[0]) < inspect(other[0]) ? -1 : 1;
}

function matchesObject(found, wanted) {
  if (wanted instanceof Matcher || typeof wanted !== 'object' || !wanted) return equal(found, wanted);
  if (typeof found !== 'object' || !found) return false;
  if (Array.isArray(wanted)) {
    return Array.isArray(found) && found.length === wanted.length
      && wanted.every((item, at) => matchesObject(found[at], item));
  }
  if (wanted instanceof Map || wanted instanceof Set || wanted instanceof Date) return equal(found, wanted);
  return keysOf(wanted).every((key) => key in found && matchesObject(found[key], wanted[key]));
}

function propertyAt(value, path) {
  const steps = Array.isArray(path) ? path : String(path).replace(/\[(\w+)\]/g, '.$1').split('.');
  let at = value;
  for (const step of steps) {
    if (at === null || at === undefined || !(step in Object(at))) return { there: false };
    at = at[step];
  }
  return { there: true, value: at };
}

// -- expect ------------------------------------------------------------------------------------------------------

const counts = { made: 0, wanted: null };

function thrownBy(work) {
  try {
    work();
  } catch (error) {
    return { error };
  }
  return null;
}

function isThrown(thrown, wanted) {
  if (!thrown) return false;
  const { error } = thrown;
  const message = error instanceof Error || (error && error.message !== undefined) ? error.message : String(error);
  if (wanted === undefined) return true;
  if (typeof wanted === 'string') return message.includes(wanted);
  if (wanted instanceof RegExp) return wanted.test(message);
  if (wanted instanceof Matcher) return wanted.holds(error);
  if (typeof wanted === 'function') return error instanceof wanted;
  return message === wanted.message;
}

function contains(found, wanted, same) {
  if (typeof found === 'string') return found.includes(wanted);
  return [...found].some((item) => same(item, wanted));
}

function isInstance(found, kind) {
  const types = { number: Number, string: String, boolean: Boolean, function: Function, bigint: BigInt, symbol: Symbol };
  return types[typeof found] === kind || (kind === Object ? typeof found === 'object' && found !== null
    : found instanceof kind);
}

const checks = {
  toBe: (found, wanted) => Object.is(found, wanted),
  toEqual: (found, wanted) => equal(found, wanted, false),
  toStrictEqual: (found, wanted) => equal(found, wanted, true),
  toMatchObject: matchesObject,
  toBeTruthy: (found) => Boolean(found),
  toBeFalsy: (found) => !found,
  toBeNull: (found) => found === null,
  toBeUndefined: (found) => found === undefined,
  toBeDefined: (found) => found !== undefined,
  toBeNaN: (found) => Number.isNaN(found),
  toBeGreaterThan: (found, wanted) => found > wanted,
  toBeGreaterThanOrEqual: (found, wanted) => found >= wanted,
  toBeLessThan: (found, wanted) => found < wanted,
  toBeLessThanOrEqual: (found, wanted) => found <= wanted,
  toBeCloseTo: (found, wanted, digits = 2) => Object.is(found, wanted) || Math.abs(found - wanted) < 10 ** -digits / 2,
  toBeInstanceOf: (found, kind) => found instanceof kind,
  toBeTypeOf: (found, kind) => typeof found === kind,
  toContain: (found, wanted) => contains(found, wanted, Object.is),
  toContainEqual: (found, wanted) => contains(found, wanted, (one, other) => equal(one, other)),
  toHaveLength: (found, wanted) => found.length === wanted,
  toMatch: (found, wanted) => (typeof wanted === 'string' ? found.includes(wanted) : wanted.test(found)),
  toHaveProperty: (found, path, ...wanted) => {
    const at = propertyAt(found, path);
    return at.there && (wanted.length === 0 || equal(at.value, wanted[0]));
  },
  toThrow: (found, wanted) => isThrown(typeof found === 'function' ? thrownBy(found) : found, wanted),
  toHaveBeenCalled: (found) => found.mock.calls.length > 0,
  toHaveBeenCalledTimes: (found, times) => found.mock.calls.length === times,
  toHaveBeenCalledWith: (found, ...given) => found.mock.calls.some((call) => equal(call, given)),
  toHaveBeenLastCalledWith: (found, ...given) => equal(found.mock.calls.at(-1), given),
  toHaveBeenNthCalledWith: (found, at, ...given) => equal(found.mock.calls[at - 1], given),
  toHaveReturnedWith: (found, wanted) => found.mock.results.some((item) => equal(item.value, wanted)),
};
checks.toThrowError = checks.toThrow;

function decide(name, found, given, negated) {
  counts.made += 1;
  if (Boolean(checks[name](found, ...given)) !== negated) return;
  const shown = [found, ...given].map((value) => inspect(value, { depth: 4, breakLength: Infinity }).slice(0, 200));
  const error = new Error(`expect(${shown[0]})${negated ? '.not' : ''}.${name}(${shown.slice(1).join(', ')})`);
  error.name = 'AssertionError';
  throw error;
}

async function settled(promise, wish) {
  const work = typeof promise === 'function' ? promise() : promise;
  const outcome = await Promise.resolve(work).then((value) => ({ value }), (error) => ({ error }));
  if (('error' in outcome) !== (wish === 'rejects')) throw new Error(`the promise should have been one that ${wish}`);
  return outcome;
}

function matchers(found, negated, wish) {
  const made = {};
  for (const name of Object.keys(checks)) {
    made[name] = wish === undefined ? (...given) => decide(name, found, given, negated) : async (...given) => {
      const outcome = await settled(found, wish);
      const throws = name === 'toThrow' || name === 'toThrowError';
      const value = wish === 'resolves' ? outcome.value : throws ? outcome : outcome.error;
      decide(name, value, given, negated);
    };
  }
  return made;
}

function expect(found) {
  const both = (wish) => Object.assign(matchers(found, false, wish), { not: matchers(found, true, wish) });
  return Object.assign(both(undefined), { resolves: both('resolves'), rejects: both('rejects') });
}

const listed = (wanted) => (found) => Array.isArray(found)
  && wanted.every((item) => found.some((other) => equal(other, item)));
const told = (wanted) => (found) => typeof found === 'string' && new RegExp(wanted).test(found);
const near = (wanted, digits = 2) => (found) => Math.abs(found - wanted) < 10 ** -digits / 2;
const kinds = {
  any: (kind) => (found) => isInstance(found, kind),
  anything: () => (found) => found !== null && found !== undefined,
  arrayContaining: listed,
  objectContaining: (wanted) => (found) => matchesObject(found, wanted),
  stringContaining: (wanted) => (found) => typeof found === 'string' && found.includes(wanted),
  stringMatching: told,
  closeTo: near,
};
expect.not = {};
for (const [name, holds] of Object.entries(kinds)) {
  expect[name] = (...given) => new Matcher(`expect.${name}`, holds(...given));
  expect.not[name] = (...given) => new Matcher(`expect.not.${name}`, (found) => !holds(...given)(found));
}
expect.assertions = (count) => { counts.wanted = (made) => made === count; };
expect.hasAssertions = () => { counts.wanted = (made) => made > 0; };
expect.fail = (message = 'expect.fail') => { throw new Error(message); };

// -- mocks -------------------------------------------------------------------------------------------------------

const replaced = [];

function mock(work) {
  let always = work;
  let once = [];
  const made = function called(...given) {
    made.mock.calls.push(given);
    try {
      const value = (once.shift() || always || (() => undefined)).apply(this, given);
      made.mock.results.push({ type: 'return', value });
      return value;
    } catch (error) {
      made.mock.results.push({ type: 'throw', value: error });
      throw error;
    }
  };
  const chain = (change) => (...given) => {
    change(...given);
    return made;
  };
  made.mock = { calls: [], results: [] };
  return Object.assign(made, {
    mockImplementation: chain((next) => { always = next; }),
    mockImplementationOnce: chain((next) => { once.push(next); }),
    mockReturnValue: chain((value) => { always = () => value; }),
    mockReturnValueOnce: chain((value) => { once.push(() => value); }),
    mockResolvedValue: chain((value) => { always = async () => value; }),
    mockRejectedValue: chain((error) => { always = async () => { throw error; }; }),
    mockResolvedValueOnce: chain((value) => { once.push(async () => value); }),
    mockRejectedValueOnce: chain((error) => { once.push(async () => { throw error; }); }),
    mockReturnThis: chain(() => { always = function itself() { return this; }; }),
    mockClear: chain(() => { made.mock.calls.length = 0; made.mock.results.length = 0; }),
    mockReset: chain(() => { made.mockClear(); always = undefined; once = []; }),
    mockRestore: () => {},
  });
}

function spyOn(object, name) {
  const before = object[name];
  const made = mock(before);
  object[name] = made;
  made.mockRestore = () => { object[name] = before; };
  replaced.push(made);
  return made;
}

// Timers that pass only when a test says so, and the time of day with them.
const real = {};
for (const kind of ['Timeout', 'Interval', 'Immediate']) {
  for (const name of [`set${kind}`, `clear${kind}`]) real[name] = globalThis[name];
}
real.Date = Date;
const waiting = new Set();
let now = 0;

function wait(work, delay, given, again) {
  const timer = { at: now + delay, again, work: () => work(...given), ref: () => timer, unref: () => timer, hasRef: () => true };
  waiting.add(timer);
  return timer;
}

function useFakeTimers(options = {}) {
  now = Number(options.now ?? real.Date.now());
  waiting.clear();
  const clear = (timer) => { waiting.delete(timer); };
  const least = (delay) => Math.max(Number(delay) || 0, 0);
  Object.assign(globalThis, {
    setTimeout: (work, delay, ...given) => wait(work, least(delay), given, 0),
    setInterval: (work, delay, ...given) => wait(work, least(delay), given, Math.max(least(delay), 1)),
    setImmediate: (work, ...given) => wait(work, 0, given, 0),
    clearTimeout: clear,
    clearInterval: clear,
    clearImmediate: clear,
    Date: class extends real.Date {
      constructor(...given) { super(...(given.length ? given : [now])); }

      static now() { return now; }
    },
  });
  return mocks;
}

function nextOf(timers, end = Infinity) {
  const due = [...timers].filter((timer) => waiting.has(timer) && timer.at <= end);
  return due.sort((one, other) => one.at - other.at)[0];
}

function fire(timer) {
  now = Math.max(now, timer.at);
  if (timer.again) timer.at = now + timer.again;
  else waiting.delete(timer);
  timer.work();
}

// Each gives the next timer to fire, until there is none.
const ways = {
  advanceTimersByTime: (span) => {
    const end = now + span;
    return () => nextOf(waiting, end) || void (now = end);
  },
  runAllTimers: () => () => nextOf(waiting),
  runOnlyPendingTimers: () => {
    const pending = new Set(waiting);
    return () => {
      const timer = nextOf(pending);
      pending.delete(timer);
      return timer;
    };
  },
  advanceTimersToNextTimer: () => {
    const end = (nextOf(waiting) || { at: now }).at;
    return () => nextOf(waiting, end);
  },
};
const timers = {
  useFakeTimers,
  useRealTimers: () => Object.assign(globalThis, real) && mocks,
  clearAllTimers: () => waiting.clear(),
  getTimerCount: () => waiting.size,
  setSystemTime: (time) => { now = Number(new real.Date(time)); },
};
for (const [name, way] of Object.entries(ways)) {
  timers[name] = (span) => {
    const next = way(span);
    for (let timer = next(); timer; timer = next()) fire(timer);
    return mocks;
  };
  timers[`${name}Async`] = async (span) => {
    const next = way(span);
    await new Promise(soon);
    for (let timer = next(); timer; timer = next()) {
      fire(timer);
      await new Promise(soon);
    }
    return mocks;
  };
}

const mocks = {
  ...timers,
  fn: mock,
  spyOn,
  restoreAllMocks: () => replaced.splice(0).reverse().forEach((made) => made.mockRestore()),
  resetAllMocks: () => replaced.forEach((made) => made.mockReset()),
  clearAllMocks: () => replaced.forEach((made) => made.mockClear()),
};

// -- describe and it ---------------------------------------------------------------------------------------------

const hooks = () => ({ beforeAll: [], beforeEach: [], afterEach: [], afterAll: [] });
const root = { outer: null, parts: [], hooks: hooks() };
let current = root;
let turn = null;
let only = false;

function waitForAll() {
  if (turn !== null) return;
  turn = tests.begin();
  soon(async () => {
    try {
      if (await runSuite(root) === 0) throw new Error('no test was run');
      tests.end(turn);
    } catch (error) {
      // The last line is what people see of it.
      report(`${(error && error.stack) || ''}\n${error}`);
      reallyExit(1);
    }
  });
}

// What Mocha gives functions as this, whose settings are not needed here.
const mocha = {};
for (const name of ['timeout', 'slow', 'retries']) mocha[name] = () => mocha;
const skipped = new Error('skipped');
mocha.skip = () => { throw skipped; };

function describe(name, work) {
  const suite = { outer: current, parts: [], hooks: hooks() };
  current.parts.push(suite);
  current = suite;
  waitForAll();
  try {
    apply(work, mocha, []);
  } finally {
    current = suite.outer;
  }
}

function it(name, work) {
  const called = typeof work === 'function' ? work : arguments[2];
  current.parts.push({ name, work: called, only: false });
  waitForAll();
}

function rowsOf(given, values) {
  if (!given.raw) return given.map((row) => (Array.isArray(row) ? row : [row]));
  const names = given[0].split('|').map((word) => word.trim());
  const rows = [];
  for (let at = 0; at < values.length; at += names.length) {
    rows.push([Object.fromEntries(names.map((name, number) => [name, values[at + number]]))]);
  }
  return rows;
}

for (const starter of [it, describe]) {
  starter.each = (given, ...values) => (name, work) => {
    for (const row of rowsOf(given, values)) starter(name, starter === it ? async () => work(...row) : () => work(...row));
  };
  starter.skip = Object.assign(() => {}, { each: () => () => {} });
  starter.todo = () => {};
  starter.skipIf = (holds) => (holds ? starter.skip : starter);
  starter.runIf = (holds) => (holds ? starter : starter.skip);
  starter.concurrent = starter;
}
const markOnly = (starter) => (name, work) => {
  only = true;
  starter(name, work);
  current.parts.at(-1).only = true;
};
it.only = markOnly(it);
describe.only = markOnly(describe);

function finish(work) {
  if (work.length === 0) return apply(work, mocha, []);
  return new Promise((resolve, reject) => {
    const done = (error) => (error ? reject(error) : resolve());
    done.fail = (error) => reject(error || new Error('done.fail'));
    apply(work, mocha, [done]);
  });
}

// Returns whether it was run to its end, and not left out by itself.
async function runTest(test, suite) {
  const around = [];
  for (let at = suite; at; at = at.outer) around.unshift(at);
  counts.made = 0;
  counts.wanted = null;
  for (const each of around) for (const hook of each.hooks.beforeEach) await finish(hook);
  try {
    await finish(test.work);
  } catch (error) {
    if (error !== skipped) throw error;
    return false;
  } finally {
    for (const each of around.reverse()) for (const hook of each.hooks.afterEach) await finish(hook);
  }
  if (counts.wanted && !counts.wanted(counts.made)) throw new Error(`${test.name}: ${counts.made} assertions were made`);
  return true;
}

// Returns how many tests were run. Where one is marked as the only one, the others are left out.
async function runSuite(suite, marked = !only) {
  let count = 0;
  for (const hook of suite.hooks.beforeAll) await finish(hook);
  for (const part of suite.parts) {
    const chosen = marked || part.only;
    if (part.parts) {
      count += await runSuite(part, chosen);
    } else if (chosen && part.work) {
      count += await runTest(part, suite);
    }
  }
  for (const hook of suite.hooks.afterAll) await finish(hook);
  return count;
}

const given = {
  describe, suite: describe, context: describe, it, test: it, specify: it, expect, jest: mocks, vi: mocks,
};
given.xit = given.xtest = it.skip;
given.xdescribe = describe.skip;
given.fit = it.only;
given.fdescribe = describe.only;
for (const name of Object.keys(root.hooks)) given[name] = (work) => { current.hooks[name].push(work); };
given.before = given.beforeAll;
given.after = given.afterAll;
// Only who knows the key finds them: the answer must not take the checks of its tests apart.
Object.defineProperty(globalThis, Symbol.for('annotator.expect.ANNOTATOR_KEY'), { value: Object.freeze(given) });
