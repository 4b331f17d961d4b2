"""The commands `lint` and `template` of helm, on Helm's library in the package helm-python-sdk."""

import json
import sys

import helm_python


def lint(chart: str) -> int:
    found = [message for message in helm_python.lint(chart, strict=True)["messages"] if message["severity"] > 1]
    print("\n".join(f"{message['path']}: {message['error']}" for message in found), file=sys.stderr)
    return 1 if found else 0


def template(release: str, chart_path: str, namespace: str) -> int:
    values = json.load(sys.stdin)
    try:
        with helm_python.Chart.load(chart_path) as chart:
            chart.validate_schema(values)
            files = chart.render(values, name=release, namespace=namespace)
    except helm_python.HelmError as error:
        print(error, file=sys.stderr)
        return 1
    print("\n---\n".join(text for path, text in files.items() if path.endswith(".yaml")))
    return 0


if sys.argv[1] == "lint":
    # lint --strict CHART
    sys.exit(lint(sys.argv[3]))
# template RELEASE CHART --namespace NAMESPACE --values -
sys.exit(template(sys.argv[2], sys.argv[3], sys.argv[5]))
