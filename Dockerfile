# vincolo in a container, with everything it can do but the comparison with other engines.
#   docker build -t vincolo . && docker run --rm vincolo doctor
FROM python:3.12-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends g++ && rm -rf /var/lib/apt/lists/*
COPY . /source
RUN pip wheel --no-deps -w /wheels /source

FROM python:3.12-slim
COPY --from=build /wheels /wheels
COPY tests/smoke.py /tmp/smoke.py
RUN pip install --no-cache-dir "$(ls /wheels/*.whl)[all]" && python /tmp/smoke.py && rm -r /wheels /tmp/smoke.py
WORKDIR /models
ENTRYPOINT ["vincolo"]
