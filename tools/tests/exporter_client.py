# SPDX-License-Identifier: MIT
"""What exporter_test.sh asks for:

get PORT PATH [ACCEPT]           prints an answer, its head included
reused PORT                      gets pages until one that is not read again: it is the same as the one before
idle PORT NUMBER                 an answer beside connections that say nothing; then they are closed
activate COMMAND...              becomes the command, with a socket that listens as systemd hands it over
outlives COMMAND...              such a socket serves a second one when the first has ended
parse FILE text|openmetrics      fails if Prometheus' own library for Python does not read it
names FILE                       the dashboard names no metric that the page FILE does not have
rules                            prints its expressions as rules, for promtool
prometheus PROGRAM PORT FOLDER   has Prometheus scrape the exporter, and asks it for each expression
"""

import http.client
import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import time
import urllib.parse

DASHBOARD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../share/pmudev/grafana/pmudev.json")

# Seconds after which nothing comes any more, however busy the machine is.
LATEST = 60


def expressions():
    """Those of the panels, with values for Grafana's variables."""
    with open(DASHBOARD, encoding="utf-8") as f:
        panels = json.load(f)["panels"]
    found = [target["expr"] for panel in panels for target in panel["targets"]]
    assert len(found) >= len(panels) > 0
    return [expr.replace("$__rate_interval", "10s").replace("$instance", ".*").replace("$cpu", ".*") for expr in found]


def page(port, path, accept=None):
    connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=LATEST)
    connection.request("GET", path, headers={"Accept": accept} if accept else {})
    response = connection.getresponse()
    return response.status, response.getheader("Content-Type"), response.read().decode("utf-8")


def get(port, path, accept=None):
    status, kind, text = page(port, path, accept)
    print(status, kind)
    print(text, end="")


def cycles(port):
    return re.search(r'^pmudev_cycles_total{cpu="0"} (\d+)$', page(port, "/metrics")[2], re.M)[1]


def reused(port):
    """The counter grows with each reading. A machine that is busy may take longer for two pages than they keep."""
    end = time.monotonic() + LATEST
    last = cycles(port)
    while (now := cycles(port)) != last:
        print(now)
        assert time.monotonic() < end
        last = now


def idle(port, number):
    connections = [socket.create_connection(("127.0.0.1", int(port)), timeout=LATEST) for _ in range(int(number))]
    get(port, "/metrics")
    closed, _, _ = select.select(connections, [], [], 0)
    assert not closed, "it answered only when others were closed"
    for connection in connections:
        assert connection.recv(1) == b""
        connection.close()


def hand_over(listening, command):
    os.dup2(listening.fileno(), 3)
    os.set_inheritable(3, True)
    os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1")
    os.execvp(command[0], command)


def activate(*command):
    hand_over(socket.create_server(("127.0.0.1", 0)), command)


def outlives(*command):
    listening = socket.create_server(("127.0.0.1", 0))
    for _ in range(2):
        exporter = os.fork()
        if not exporter:
            hand_over(listening, command)
        try:
            get(listening.getsockname()[1], "/")
        finally:
            os.kill(exporter, signal.SIGTERM)
        assert os.waitpid(exporter, 0)[1] == 0


def parse(path, kind):
    if kind == "text":
        from prometheus_client.parser import text_string_to_metric_families as families_of
    else:
        from prometheus_client.openmetrics.parser import text_string_to_metric_families as families_of
    with open(path, encoding="utf-8", errors="strict") as f:
        families = {family.name: family for family in families_of(f.read())}
    assert families["pmudev_cycles"].type == "counter"
    assert families["pmudev_up"].type == "gauge"
    for family in families.values():
        labels = [(sample.name, tuple(sorted(sample.labels.items()))) for sample in family.samples]
        assert family.documentation and labels and len(set(labels)) == len(labels), labels


def names(path):
    with open(path, encoding="utf-8") as f:
        served = set(re.findall(r"^(pmudev_\w+)[{ ]", f.read(), re.M))
    with open(DASHBOARD, encoding="utf-8") as f:
        everywhere = set(re.findall(r"pmudev_\w+", f.read()))
    used = set(re.findall(r"pmudev_\w+", " ".join(expressions())))
    assert len(used) >= 8, used
    assert not everywhere - served, f"not served: {everywhere - served}"


def rules():
    print(json.dumps({"groups": [{"name": "dashboard", "rules": [
        {"record": f"panel:number_{i}", "expr": expr} for i, expr in enumerate(expressions())]}]}))


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as s:
        return s.getsockname()[1]


def query(port, expr):
    """Its results: None while Prometheus does not answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", "/api/v1/query?" + urllib.parse.urlencode({"query": expr}))
        answer = json.loads(connection.getresponse().read())
    except (OSError, http.client.HTTPException, ValueError):
        return None
    assert answer["status"] == "success", answer
    return answer["data"]["result"]


def prometheus(program, target, folder):
    port = free_port()
    with open(f"{folder}/prometheus.json", "w", encoding="utf-8") as f:
        json.dump({"global": {"scrape_interval": "1s"}, "scrape_configs": [
            {"job_name": "pmudev", "static_configs": [{"targets": [f"127.0.0.1:{target}"]}]}]}, f)
    with open(f"{folder}/prometheus.log", "wb") as log, subprocess.Popen(
            [program, f"--config.file={folder}/prometheus.json", f"--storage.tsdb.path={folder}/tsdb",
             f"--web.listen-address=127.0.0.1:{port}"], stdout=log, stderr=log) as server:
        try:
            missing = expressions()
            end = time.monotonic() + LATEST
            while missing and server.poll() is None and time.monotonic() < end:
                missing = [expr for expr in missing if not query(port, expr)]
                time.sleep(0.2)
            assert not missing, f"no values: {missing}"
            print(query(port, "pmudev_build_info"), query(port, "pmudev_cycles_total"))
        finally:
            server.terminate()


{f.__name__: f for f in (get, reused, idle, activate, outlives, parse, names, rules, prometheus)}[sys.argv[1]](*sys.argv[2:])
