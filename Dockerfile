# A laboratory in the browser, installed without network from the folder wheels/. docs/how-to/container.md says more.
#
#   make wheels
#   docker build -t leadline .
#   docker run --rm -p 127.0.0.1:8000:8000 -v leadline-lab:/lab leadline
#
# BASE is any image with Python and its module venv, of the version that made the wheels.
ARG BASE=docker.io/library/python:3.11-slim
FROM ${BASE}

# An environment of its own: Debian's Python takes no packages from pip. The wheels stay outside of the image.
RUN --mount=type=bind,source=wheels,target=/wheels python3 -m venv /opt/leadline \
    && /opt/leadline/bin/python -m pip install --no-cache-dir --no-index --find-links /wheels leadline \
    && useradd --uid 1000 --create-home leadline \
    && mkdir /lab && chown 1000:1000 /lab

ENV PATH=/opt/leadline/bin:$PATH
USER 1000:1000
WORKDIR /lab
VOLUME /lab
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/api/health', timeout=4)"]
ENTRYPOINT ["leadline"]
CMD ["serve", "/lab", "--host", "0.0.0.0", "--port", "8000", "--url", "http://127.0.0.1:8000", "--no-open"]
