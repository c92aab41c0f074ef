# Ruby and PHP; Bash and SQL need no more than the base.
ARG BASE
FROM ${BASE}
RUN apt-get update -qq && \
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends ruby ruby-rspec php-cli \
        php-bcmath php-gmp php-mbstring php-xml >/dev/null && \
    rm -rf /var/lib/apt/lists/*
