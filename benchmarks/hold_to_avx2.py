"""Holds what runs networks to AVX2 on a processor that has more, for benchmarks.

The core and OpenVINO are told by the environment. ONNX Runtime has no option for it: its library asks the processor
what it can (`cpuid`) when it is first used. An undefined instruction is written in place of each such question, in this
process's memory only, and answered here, without AVX-512. That needs gcc and objdump.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import subprocess
import sys
import tempfile
from pathlib import Path

_SOURCE = r"""
#define _GNU_SOURCE
#include <cpuid.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

static void answer(int number, siginfo_t* info, void* context) {
  (void)info;
  greg_t* registers = ((ucontext_t*)context)->uc_mcontext.gregs;
  const unsigned char* at = (const unsigned char*)registers[REG_RIP];
  if (at[0] != 0x0f || at[1] != 0x0b) {
    signal(number, SIG_DFL);
    return;
  }
  uint32_t leaf = (uint32_t)registers[REG_RAX], part = (uint32_t)registers[REG_RCX], a, b, c, d;
  __cpuid_count(leaf, part, a, b, c, d);
  if (leaf == 7 && part == 0) {  /* AVX-512 and AMX of every kind */
    b &= ~0xd0230000u;
    c &= ~0x00005842u;
    d &= ~0x03c0010cu;
  }
  if (leaf == 7 && part == 1) a &= ~0x00000030u;  /* VNNI and bfloat16 */
  registers[REG_RAX] = a;
  registers[REG_RBX] = b;
  registers[REG_RCX] = c;
  registers[REG_RDX] = d;
  registers[REG_RIP] += 2;
}

int hold(const uintptr_t* places, int count) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = answer;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  if (sigaction(SIGILL, &action, 0) != 0) return 1;
  for (int i = 0; i < count; ++i) {
    unsigned char* at = (unsigned char*)places[i];
    void* page = (void*)(places[i] & ~(uintptr_t)4095);
    if (at[0] != 0x0f || at[1] != 0xa2) return 2;
    if (mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return 3;
    at[1] = 0x0b;
    if (mprotect(page, 8192, PROT_READ | PROT_EXEC) != 0) return 3;
  }
  return 0;
}
"""


ENVIRONMENT = {"TENGEN_MAX_CPU_ISA": "avx2", "ONEDNN_MAX_CPU_ISA": "AVX2"}


def hold_to_avx2() -> None:
    """Before any network is loaded. Raises an OSError where ONNX Runtime can't be held."""
    os.environ |= ENVIRONMENT
    if "onnxruntime" in sys.modules:
        raise OSError("ONNX Runtime has asked the processor already")
    package = importlib.util.find_spec("onnxruntime")
    if package is None or package.origin is None:
        raise OSError("ONNX Runtime is not installed")
    library = next(Path(package.origin).parent.glob("capi/onnxruntime_pybind11_state*.so"), None)
    if library is None:
        raise OSError("this is no ONNX Runtime for Linux")
    places = _questions(library)
    ctypes.CDLL(str(library))  # only loads it
    maps = Path("/proc/self/maps").read_text().splitlines()
    base = next(int(line.split("-")[0], 16) for line in maps if str(library) in line)
    at = [base + place for place in places]
    with tempfile.TemporaryDirectory() as folder:
        source, helper = Path(folder) / "hold.c", Path(folder) / "hold.so"
        source.write_text(_SOURCE)
        _run(["gcc", "-O1", "-shared", "-fPIC", str(source), "-o", str(helper)])
        failed = ctypes.CDLL(str(helper)).hold((ctypes.c_size_t * len(at))(*at), len(at))
    if failed:
        raise OSError(f"its instructions can't be replaced ({failed})")


def _questions(library: Path) -> list[int]:
    """Where the library has `cpuid`."""
    lines = _run(["objdump", "-d", "--no-show-raw-insn", str(library)]).splitlines()
    return [int(line.split(":")[0], 16) for line in lines if line.rstrip().endswith("\tcpuid")]


def _run(words: list[str]) -> str:
    try:
        return subprocess.run(words, check=True, capture_output=True, text=True).stdout
    except subprocess.CalledProcessError as error:
        raise OSError(error.stderr) from error
