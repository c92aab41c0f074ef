ARG BASE
FROM ${BASE}
RUN apt-get update -qq && \
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends mono-mcs mono-runtime \
        libmono-system-core4.0-cil >/dev/null && \
    rm -rf /var/lib/apt/lists/*
