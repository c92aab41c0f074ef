// Preloaded before a program: reads the nonce, and writes it back when the program came to its natural end.
'use strict';
const fs = require('fs');
const path = require('path');
const { createRequire } = require('module');
let nonce = '';
let reached = false;
try {
  nonce = fs.readFileSync(3, 'utf8');
  fs.closeSync(3);
} catch {
  nonce = '';
}
// What the tests compare with is nobody's to change.
const assert = require('assert');
Object.freeze(assert.strict);
Object.freeze(assert);
const Module = require('module');
const util = require('util');
const valueOf = Object.getOwnPropertyDescriptor;
const checks = [
  [JSON, 'stringify'], [JSON, 'parse'], [Object, 'is'], [Array, 'isArray'], [Number, 'isNaN'], [util, 'isDeepStrictEqual'],
  [Module, '_load'], [Module.prototype, 'require'], [RegExp.prototype, 'test'],
].map(([owner, name]) => [owner, name, owner[name]]);
const exitCode = (valueOf(process, 'exitCode') || {}).get;
const isReplaced = () => (valueOf(process, 'exitCode') || {}).get !== exitCode
  || checks.some(([owner, name, value]) => (valueOf(owner, name) || {}).value !== value);
const write = fs.writeSync;
const coverage = Symbol.for('annotator.coverage.ANNOTATOR_KEY');
const measured = globalThis[coverage] || (() => '');
delete globalThis[coverage];
const reallyExit = process.reallyExit.bind(process);
let pending = 0;
let failed = false;
let ran = '';
let counted = 0;
const turns = new Set();
// What the tests need and nobody has is said under the nonce, before the program could pretend it.
function lacks(name) {
  console.error(`${name} is not in this sandbox`);
  write(4, `${nonce} lacks`);
  reallyExit(1);
}
function finish() {
  if (failed) {
    console.error('console.assert failed');
    reallyExit(1);
  }
  if (isReplaced()) {
    console.error('a check of JavaScript was replaced');
    reallyExit(1);
  }
  if (ANNOTATOR_MUST_CHECK && !counted) {
    console.error("none of the tests' checks was executed");
    reallyExit(1);
  }
  const report = Buffer.from(`${nonce}${ran}\n${measured()}`);
  for (let at = 0; at < report.length;) at += write(4, report, at);
}
// What only the tests call, and the guard of their framework. They assign what their statements return: a promise must
// settle before the program's end, and so must their async functions.
const tests = {
  lacks,
  run: undefined,
  checks: ANNOTATOR_CHECKS,
  reached: () => {
    reached = true;
    tests.result = tests.run?.().then((count) => { ran = count === undefined ? '' : ` ${count}`; });
  },
  set result(value) {
    if (!(value instanceof Promise)) return;
    pending += 1;
    value.then(() => { pending -= 1; }, (error) => { console.error(error); reallyExit(1); });
  },
  begin: () => {
    const turn = {};
    turns.add(turn);
    return turn;
  },
  end: (turn) => turns.delete(turn),
  counted: (check) => {
    counted += 1;
    return check;
  },
  check: (holds, ...message) => {
    if (holds) return;
    failed = true;
    console.error('Assertion failed:', ...message);
  },
  exit: (status = process.exitCode) => {
    if (status) reallyExit(Number(status));
    finish();
    reallyExit(0);
  },
};
Object.defineProperty(globalThis, Symbol.for('annotator.ANNOTATOR_KEY'), { value: tests });
const here = createRequire(path.resolve(process.argv[1]));
for (const name of ANNOTATOR_NEEDS) {
  try {
    here.resolve(name);
  } catch {
    lacks(name);
  }
}
// A module has none of these, but code that was written as a script may be tested by one.
if (process.argv[1].endsWith('.mjs')) {
  const file = path.resolve(process.argv[1]);
  const module = { exports: {} };
  const given = { require: createRequire(file), module, exports: module.exports, __filename: file, __dirname: path.dirname(file) };
  for (const name of Object.keys(given)) globalThis[name] ??= given[name];
}
// 'beforeExit' does not come after process.exit() or an uncaught error.
process.on('beforeExit', () => {
  if (pending || turns.size) {
    console.error('a promise of the tests never settled');
    reallyExit(1);
  }
  if (reached && !process.exitCode) {
    reached = false;
    finish();
  }
});
