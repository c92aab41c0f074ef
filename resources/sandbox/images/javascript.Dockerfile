ARG BASE
FROM ${BASE}
RUN apt-get update -qq && \
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends nodejs node-typescript esbuild \
        node-jsdom >/dev/null && \
    rm -rf /var/lib/apt/lists/*
COPY guard.cjs /opt/annotator/
ENV NODE_PATH=/usr/share/nodejs
