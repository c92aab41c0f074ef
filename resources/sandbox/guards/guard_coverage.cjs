// Preloaded before the guard where coverage is measured: V8 counts blocks from here on. What it counted of the program
// goes back behind the nonce, which the program does not know; a file could be written by anybody.
'use strict';
const fs = require('fs');
const path = require('path');
const { Session } = require('inspector');
const file = path.resolve(process.argv[1]);
const read = (name) => (fs.existsSync(name) ? fs.readFileSync(name, 'utf8') : null);
// Read before the program can change them.
const text = read(file);
const map = JSON.parse(read(`${file}.map`));
const { parse, stringify } = JSON;
const session = new Session();
const post = session.post.bind(session);
session.connect();
post('Profiler.enable');
post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
globalThis[Symbol.for('annotator.coverage.ANNOTATOR_KEY')] = () => {
  let functions = [];
  post('Profiler.takePreciseCoverage', (problem, found) => {
    for (const script of problem ? [] : found.result) {
      if (script.url.endsWith(file)) functions = script.functions;
    }
  });
  return stringify({ functions, text, map });
};
