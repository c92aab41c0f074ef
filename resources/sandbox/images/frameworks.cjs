// What runs and compares tests in the style of Jest, Vitest and Mocha: Jest's own packages, made one file and put into the
// snapshot that Node starts from, as loading them takes longer than most tests.
'use strict';
const { setTimeout } = globalThis;
// Waiting for a test must not keep a program alive: where nothing else does, what it waits for never settles.
globalThis.setTimeout = (...given) => setTimeout(...given).unref();
const circus = require('jest-circus');
globalThis.setTimeout = setTimeout;
const { addEventHandler } = require('/usr/share/nodejs/jest-circus/build/state.js');
const { expect } = require('expect');
const { ModuleMocker } = require('jest-mock');
const { ModernFakeTimers } = require('@jest/fake-timers');
globalThis[Symbol.for('annotator.frameworks')] = { circus, addEventHandler, expect, ModuleMocker, ModernFakeTimers };
