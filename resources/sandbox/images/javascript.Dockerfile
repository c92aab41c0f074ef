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
# Programs see the command that they would see without it. It holds for one set of flags, those of a job with the usual
# memory, and is not kept if this Node cannot run from it. Jest's matchers for snapshots are left out with Babel.
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
    flags="--stack-size=4000 --max-old-space-size=384" && \
    { node $flags --snapshot-blob node-384.blob --build-snapshot start.cjs >/dev/null 2>&1; \
      cd /tmp; node $flags --snapshot-blob /opt/annotator/node-384.blob check.js; [ $? = 7 ] || rm -f /opt/annotator/node-384.blob; } && \
    rm -f /tmp/check.js
