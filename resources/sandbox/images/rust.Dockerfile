ARG BASE
FROM ${BASE}
RUN apt-get update -qq && \
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends rustc gcc libc6-dev mold >/dev/null && \
    rm -rf /var/lib/apt/lists/*
