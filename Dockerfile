# contract-scan as a command: docker run --rm -v "$PWD:/src:ro" contract-scan
#
# Builds wheels first, so that the image that runs has neither a compiler nor the source.
# Pin the base by digest where builds have to be repeated exactly.
ARG PYTHON=3.12
FROM python:${PYTHON}-slim AS build
WORKDIR /build
COPY pyproject.toml README.md LICENSE constraints.txt ./
# The first holds for what is installed, the second for what builds it.
ENV PIP_CONSTRAINT=/build/constraints.txt PIP_BUILD_CONSTRAINT=/build/constraints.txt
COPY contract_scan ./contract_scan
RUN python -m pip wheel --no-cache-dir --wheel-dir /wheels ".[validate]"

FROM python:${PYTHON}-slim
LABEL org.opencontainers.image.title="contract-scan" \
      org.opencontainers.image.description="Says, without running anything, whether code keeps the promises of its contracts." \
      org.opencontainers.image.licenses="Apache-2.0"
RUN apt-get update \
    && apt-get install --yes --no-install-recommends git \
    && rm -rf /var/lib/apt/lists/* \
    && git config --system --add safe.directory /src \
    && git config --system --add safe.directory '/src/*' \
    && useradd --create-home --uid 10001 scan
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    python -m pip install --no-cache-dir --no-index --find-links /wheels "contract-scan[validate]"
# Only what is mounted at /src is asked of git although somebody else owns it.
# The folder is mounted read-only as a rule: then nothing is kept between runs.
ENV PYTHONDONTWRITEBYTECODE=1 NO_COLOR=1
USER scan
WORKDIR /src
ENTRYPOINT ["contract-scan"]
