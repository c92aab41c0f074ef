ARG BASE
FROM ${BASE}
RUN apt-get update -qq && \
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends golang-go golang-github-stretchr-testify-dev >/dev/null && \
    rm -rf /var/lib/apt/lists/*
# The standard library is compiled here, so that programs only compile and link themselves.
RUN GODEBUG=installgoroot=all GOCACHE=/tmp/cache go install std; rm -rf /tmp/cache
