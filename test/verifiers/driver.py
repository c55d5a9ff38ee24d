"""Runs verify.py for the arguments in each line of JSON, in one process: to start one takes longer than to verify."""
import contextlib
import io
import json
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, "verifiers")
import verify  # noqa: E402

for line in sys.stdin:
    out, error = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n") for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
        try:
            code = verify.main(json.loads(line))
        except SystemExit as end:
            code = end.code
    said = []
    for stream in (out, error):
        stream.flush()
        said.append(stream.buffer.getvalue().decode("utf-8"))
    print(json.dumps({"code": code, "out": said[0], "error": said[1]}), flush=True)
