"""``doxel assess demo`` prints the passwords, and serves the site until it is stopped."""

import re
import subprocess
import sys

import httpx


def test_the_demo_is_served_and_its_passwords_work(tmp_path):
    command = [sys.executable, "-m", "doxel", "assess", "demo", "-o", "site", "--port", "0", "--no-open"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
    passwords, address = {}, ""
    try:
        for line in process.stderr:
            if match := re.search(r"sign in as (\w+) .* password (\S+)", line):
                passwords[match.group(1)] = match.group(2)
            if match := re.search(r"serving on (http://\S+)", line):
                address = match.group(1)
                break
        assert set(passwords) == {"olga", "anna", "ben"}
        for name, password in passwords.items():
            answer = httpx.post(
                f"{address}/api/session", json={"name": name, "password": password}, timeout=300
            )
            assert answer.status_code == 200
    finally:
        process.terminate()
        process.wait(300)
        process.stderr.close()
