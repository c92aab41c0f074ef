ARG BASE
FROM ${BASE}
RUN apt-get update -qq && \
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends nodejs node-typescript esbuild \
        node-jsdom node-lodash jest mocha >/dev/null && \
    rm -rf /var/lib/apt/lists/*
# What is required is found in NODE_PATH, what is imported in a folder of this name above the program.
ENV NODE_PATH=/usr/share/nodejs
RUN ln -s /usr/share/nodejs /node_modules
COPY frameworks.cjs /opt/annotator/source.cjs
# Debian's Node is built without a snapshot of its state after its start, so one is made here: it halves every start.
# Programs see the command that they would see without it. It holds for one set of flags, so there is one for a job with
# the usual memory and one for what scores ask for, and none that this Node cannot run from. Jest's matchers for snapshots are left out with Babel.
RUN cd /opt/annotator && echo "exports.jestExpect = require('expect').expect;" > expect.cjs && \
    esbuild source.cjs --bundle --platform=node --minify --keep-names --log-level=error --define:require.resolve=String \
        --alias:@jest/expect=/opt/annotator/expect.cjs --outfile=frameworks.cjs && \
    { cat frameworks.cjs; printf '%s\n' \
        "const Module = require('module');" \
        "const path = require('path');" \
        "require('v8').startupSnapshot.setDeserializeMainFunction(() => {" \
        "  const at = process.execArgv.indexOf('--snapshot-blob');" \
        "  if (at >= 0) process.execArgv.splice(at, 2);" \
        "  process.argv[1] = path.resolve(process.argv[1]);" \
        "  Module.runMain(process.argv[1]);" \
        "});" \
        "process.chdir('.'); // Forgets which folder the snapshot is made in."; } > start.cjs && \
    echo "process.exit(require.main === module ? 7 : 1)" > /tmp/check.js && \
    for heap in 384 768; do \
        flags="--stack-size=4000 --max-old-space-size=$heap"; blob=/opt/annotator/node-$heap.blob; \
        node $flags --snapshot-blob $blob --build-snapshot start.cjs >/dev/null 2>&1; \
        node $flags --snapshot-blob $blob /tmp/check.js; [ $? = 7 ] || rm -f $blob; \
    done && \
    rm -f /tmp/check.js start.cjs expect.cjs source.cjs
