// Preloaded behind the guard for tests in the style of Jest, Vitest and Mocha: gives them Jest's own functions under all the
// names they know them by, and runs what they describe once the program has reached its end.
'use strict';
const tests = globalThis[Symbol.for('annotator.ANNOTATOR_KEY')];
const slot = Symbol.for('annotator.frameworks');
try {
  if (!(slot in globalThis)) require('/opt/annotator/frameworks.cjs');
} catch {
  tests.lacks('jest');
}
const { circus, addEventHandler, expect, ModuleMocker, ModernFakeTimers } = globalThis[slot];
delete globalThis[slot];
const { describe, it } = circus;

// -- what Vitest and Mocha have beyond Jest ------------------------------------------------------------------------

const matcher = (holds) => (found, ...given) => ({ pass: holds(found, ...given), message: () => `unlike ${given}` });
expect.extend({
  toBeTypeOf: matcher((found, kind) => typeof found === kind),
  toHaveBeenCalledOnce: matcher((found) => found.mock.calls.length === 1),
  toSatisfy: matcher((found, holds) => Boolean(holds(found))),
});
expect.fail = (message = 'expect.fail') => { throw new Error(message); };
expect.soft = expect;
const mocha = { skip: () => { throw new Error('the test was skipped while it ran'); } };
for (const name of ['timeout', 'slow', 'retries']) mocha[name] = () => mocha;
// Jest alone minds what else than a promise its tests return.
const withThis = (work) => Object.defineProperty(function called(...given) {
  const found = work.apply(Object.assign(this ?? {}, mocha), given);
  return typeof found?.then === 'function' ? found : undefined;
}, 'length', { value: work.length });
// A title comes with its work, a number of milliseconds and, in Vitest, options, in either order.
const inOrder = (parts) => [
  ...parts.filter((part) => typeof part === 'function').map(withThis), ...parts.filter((part) => typeof part === 'number'),
];
const wrap = (starter) => Object.assign(
  (name, ...parts) => (parts.length ? starter(name, ...inOrder(parts)) : it.todo(name)),
  { each: (...table) => (name, ...parts) => starter.each(...table)(name, ...inOrder(parts)) },
);
const [suite, test] = [describe, it].map((starter) => {
  const made = wrap(starter);
  const [only, skip] = [wrap(starter.only), wrap(starter.skip)];
  const failing = starter.failing && wrap(starter.failing);
  return Object.assign(made, {
    only, skip, failing, fails: failing, todo: it.todo, concurrent: made, sequential: made,
    skipIf: (holds) => (holds ? skip : made), runIf: (holds) => (holds ? made : skip),
  });
});

// -- mocks and timers ----------------------------------------------------------------------------------------------

const mocker = new ModuleMocker(globalThis);
const timers = new ModernFakeTimers({ config: { fakeTimers: {} }, global: globalThis });
const jest = {
  useFakeTimers: (options) => timers.useFakeTimers(options?.toFake ? { now: options.now } : options),
  setTimeout: () => {},
  retryTimes: () => {},
};
const mocked = ['fn', 'spyOn', 'mocked', 'isMockFunction', 'replaceProperty', 'clearAllMocks', 'resetAllMocks', 'restoreAllMocks'];
const methods = (owner) => Object.getOwnPropertyNames(owner).filter((name) => name !== 'constructor' && !name.startsWith('_'));
for (const [owner, names] of [[mocker, mocked], [timers, methods(ModernFakeTimers.prototype)]]) {
  for (const name of names) jest[name] ??= owner[name].bind(owner);
}
// Those that change something return the whole, to be called in a row.
for (const name of methods(jest)) {
  const work = jest[name];
  jest[name] = (...given) => work(...given) ?? jest;
}

// -- the run -------------------------------------------------------------------------------------------------------

let made = 0;
const count = () => { made += expect.getState().assertionCalls; };
addEventHandler((event) => {
  if (event.name === 'test_start') {
    count();
    expect.setState({ assertionCalls: 0, currentTestName: event.test.name });
  }
  if (event.name !== 'test_done') return;
  count();
  event.test.errors.push(...expect.extractExpectedAssertionsErrors().map((failure) => failure.error));
});
tests.run = async () => {
  const state = circus.getState();
  if (state.rootDescribeBlock.children.length === 0) {
    count();
    if (tests.checks && made === 0) throw new Error('no check was made');
    return undefined;
  }
  // The job has its own limit.
  state.testTimeout = 2 ** 31 - 1;
  const { testResults, unhandledErrors } = await circus.run();
  const errors = [...unhandledErrors, ...testResults.flatMap((test) => test.errors)];
  // The last line is what people see of it.
  if (errors.length > 0) throw `${errors[0]}\n${errors[0].split('\n    at ')[0].split(/\s*\n\s*/).join(' ')}`;
  if (tests.checks && made === 0) throw new Error('no check was made');
  return testResults.filter((test) => test.status === 'done').length;
};

// -- names ---------------------------------------------------------------------------------------------------------

const given = {
  describe: suite, suite, context: suite, it: test, test, specify: test, expect, jest, vi: jest,
  xit: test.skip, xtest: test.skip, xdescribe: suite.skip, fit: test.only, fdescribe: suite.only,
};
for (const name of ['beforeAll', 'beforeEach', 'afterEach', 'afterAll']) given[name] = (...parts) => circus[name](...inOrder(parts));
given.before = given.beforeAll;
given.after = given.afterAll;
for (const [owner, names] of Object.entries(ANNOTATOR_USED)) {
  const known = { import: given, 'expect()': expect(0) }[owner] ?? given[owner];
  const missing = names.find((name) => !(name in known));
  if (missing) tests.lacks(`Jest with ${owner}.${missing}`);
}
// Only who knows the key finds them: the answer must not take the checks of its tests apart.
Object.defineProperty(globalThis, Symbol.for('annotator.expect.ANNOTATOR_KEY'), { value: Object.freeze(given) });
