# A laboratory in the browser, installed without network from the folder wheels/.
#
#   make wheels
#   docker build --build-arg PYTHON=3.11 -t leadline .      PYTHON: the version that made the wheels
#   docker run -p 127.0.0.1:8000:8000 -v "$PWD/lab:/lab" leadline
#   docker run -v "$PWD/lab:/lab" leadline lab init /lab/brakes        any other command
#
# The folder of the lab must be writable for user 1000. The link to open is in the container's output.
ARG PYTHON=3.11
FROM python:${PYTHON}-slim

COPY wheels/ /wheels/
RUN pip install --no-cache-dir --no-index --find-links /wheels "leadline[serve]" && rm -rf /wheels \
    && useradd --uid 1000 --create-home leadline && mkdir /lab && chown leadline /lab

USER leadline
WORKDIR /lab
VOLUME /lab
EXPOSE 8000
ENTRYPOINT ["leadline"]
CMD ["serve", "/lab", "--host", "0.0.0.0", "--port", "8000", "--url", "http://127.0.0.1:8000", "--no-open"]
