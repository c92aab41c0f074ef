# Ruby and PHP, and the tools that people call from Bash; SQL needs no more than the base.
ARG BASE
FROM ${BASE}
RUN apt-get update -qq && \
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends ruby ruby-minitest ruby-test-unit ruby-rspec php-cli phpunit \
        php-bcmath php-gmp php-mbstring php-xml \
        bc bsdextrautils file gawk gettext-base jq tree unzip xxd zip >/dev/null && \
    rm -rf /var/lib/apt/lists/*
