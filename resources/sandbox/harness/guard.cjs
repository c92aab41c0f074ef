// Preloaded before a program: reads the nonce, and writes it back when the program came to its natural end.
'use strict';
const fs = require('fs');
let nonce = '';
let reached = false;
try {
  nonce = fs.readFileSync(3, 'utf8');
  fs.closeSync(3);
} catch {
  nonce = '';
}
const write = fs.writeSync;
Object.defineProperty(globalThis, Symbol.for('annotator.reached'), { value: () => { reached = true; } });
// 'beforeExit' does not come after process.exit() or an uncaught error.
process.once('beforeExit', () => { if (reached && !process.exitCode) write(4, nonce); });
