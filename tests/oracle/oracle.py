#!/usr/bin/env python3
"""toolreeve soundness oracle .

   python3 oracle.py 'echo a; rm -rf x'          # what does real bash do with this string?
   python3 oracle.py --shell dash 'CMD'           # other shells (execs and opens; builtins only for bash)
   python3 oracle.py --file cmds.txt0             # NUL separated commands, JSON lines out
As a library:
   o = Oracle(); r = o.run('ls; rm x > y');  r.execs, r.builtins, r.writes, r.reads ; o.explore(cmd) unions branches
"""
import argparse, json, os, struct, subprocess, sys, tempfile, shutil
HERE = os.path.dirname(os.path.abspath(__file__))
SHELLS = {'bash': '/bin/bash', 'dash': '/bin/dash', 'zsh': '/bin/zsh', 'mksh': '/bin/mksh', 'yash': '/bin/yash',
          'ksh': '/bin/ksh93', 'busybox': '/bin/busybox'}

def _libs(path):
    out = subprocess.run(['ldd', path], capture_output=True, text=True).stdout
    return [w for line in out.splitlines() for w in line.split() if w.startswith('/')]

class Result:
    __slots__ = ('status', 'timeout', 'truncated', 'events')
    def __init__(s, status, timeout, truncated, events): s.status, s.timeout, s.truncated, s.events = status, timeout, truncated, events
    def _k(s, k): return [e[1] for e in s.events if e[0] == k]
    execs = property(lambda s: [a[1:] for a in s._k('X')])          # argv lists
    exec_paths = property(lambda s: [a[0] for a in s._k('X')])
    builtins = property(lambda s: s._k('B'))
    writes = property(lambda s: [a[0] for a in s._k('W') + s._k('U')])
    reads = property(lambda s: [a[0] for a in s._k('R')])
    net = property(lambda s: s._k('N'))
    def commands(s): return [a[1:] if k == 'X' else a for k, a in s.events if k in 'XB']
    def todict(s): return dict(status=s.status, timeout=bool(s.timeout), truncated=bool(s.truncated), execs=s.execs,
                               builtins=s.builtins, writes=s.writes, reads=s.reads, net=s.net, other=[e for e in s.events if e[0] in 'CKE'])

class Oracle:
    def __init__(self, shell='bash', timeout=1.0, read_text='id\n', jail=None, files=('a', 'b.txt', 'c d', '-rf', 'e.sh'), env=None):
        self.shell = SHELLS.get(shell, shell)
        self.jail = jail or tempfile.mkdtemp(prefix='oracle.')
        self.own_jail = jail is None; os.chmod(self.jail, 0o755)
        self.cfg = (timeout, read_text); self.files = files; self.env = env or {}
        self.count = 0
        self._build(); self._start()
    def _build(self):
        j = self.jail
        for d in ('x', 'w', 'tmp', 'proc', 'dev', 'bin', 'lib', 'lib64', 'opt'): os.makedirs(f'{j}/{d}', exist_ok=True)
        real = os.path.realpath(self.shell); dst = f'{j}/bin/' + os.path.basename(self.shell); self.inside = '/bin/' + os.path.basename(self.shell)
        for src in [real] + _libs(real) + _libs(f'{HERE}/recorder.so'):
            d = dst if src == real else j + src
            os.makedirs(os.path.dirname(d), exist_ok=True)
            if not os.path.exists(d): shutil.copy(os.path.realpath(src), d); os.chmod(d, 0o755)
        shutil.copy(f'{HERE}/recorder.so', f'{j}/lib/recorder.so')
        for f in self.files: open(f'{j}/w/{f}', 'w').write('x\n')
    def _start(self):
        t, text = self.cfg; r1, w1 = os.pipe(); r2, w2 = os.pipe()
        args = [self.inside] + (['ash'] if self.inside.endswith('busybox') else ['-f'] if self.inside.endswith('zsh') else []) + ['-c', 'TOOLREEVE_PLACEHOLDER']
        env = ['-i', 'PATH=/x', 'HOME=/w', 'LANG=C.UTF-8', 'TOOLREEVE_ORACLE=1', f'TOOLREEVE_TIMEOUT={t}', f'TOOLREEVE_READ_TEXT={text}', 'LD_PRELOAD=/lib/recorder.so'] + [f'{k}={v}' for k, v in self.env.items()]
        j = self.jail
        # new mount/net/pid/ipc/uts namespaces; read-only jail; own /proc and /dev/null; enter.py then chroots and drops root
        setup = (f'mount --bind {j} {j} && mount -t proc proc {j}/proc && mount -t tmpfs -o size=8m,mode=1777 tmp {j}/tmp && '
                 f'touch {j}/dev/null; mount --bind /dev/null {j}/dev/null; ln -sfn /proc/self/fd {j}/dev/fd; '
                 f'mount -o remount,bind,ro {j}; exec {sys.executable} {HERE}/enter.py {j}')
        self.p = subprocess.Popen(['unshare', '--mount', '--net', '--pid', '--ipc', '--uts', '--fork', '--kill-child', 'sh', '-c', setup],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=None if os.environ.get('TOOLREEVE_DEBUG') else subprocess.DEVNULL,
            pass_fds=(r1, w2), env={**os.environ, 'TOOLREEVE_FDS': f'{r1},{w2}', 'TOOLREEVE_ARGS': json.dumps(args), 'TOOLREEVE_ENV': json.dumps(env[1:])})
        os.close(r1); os.close(w2)
        self.w = os.fdopen(w1, 'wb', buffering=1 << 16); self.r = os.fdopen(r2, 'rb', buffering=1 << 16)
        h = self.r.read(4)
        if len(h) < 4: raise RuntimeError('fork server did not start')
        self.nbuiltins = struct.unpack('I', h)[0]
    def _send(self, cmd, mask, stub): 
        c = cmd.encode('utf-8', 'surrogateescape') if isinstance(cmd, str) else cmd
        c = c.split(b'\0')[0]; s = stub.encode()
        self.w.write(struct.pack('IIQ', len(c), len(s), mask) + c + s)
    def _recv(self):
        h = self.r.read(16)
        if len(h) < 16: raise RuntimeError('fork server died')
        st, tm, tr, n = struct.unpack('4I', h); buf = self.r.read(n); ev = []; i = 0
        while i + 5 <= n:
            ln = struct.unpack_from('I', buf, i)[0]
            if ln < 5: break
            ev.append((chr(buf[i + 4]), [x.decode('utf-8', 'surrogateescape') for x in buf[i + 5:i + ln].split(b'\0')[:-1]])); i += ln
        self.count += 1
        return Result(st, tm, tr, ev)
    def run(self, cmd, mask=0, stub=''):
        self._send(cmd, mask, stub); self.w.flush(); return self._recv()
    def run_many(self, cmds, mask=0, window=64):
        """pipelined: keeps `window` requests in flight"""
        it = iter(cmds); pend = 0
        for c in it:
            self._send(c, mask, ''); pend += 1
            if pend >= window: self.w.flush(); yield self._recv(); pend -= 1
        self.w.flush()
        while pend: yield self._recv(); pend -= 1
    def explore(self, cmd, masks=(0, (1 << 64) - 1, 0x5555555555555555, 0xAAAAAAAAAAAAAAAA), stubs=('', 'id\n')):
        """union of the events over several exit-status patterns and stub outputs, so both sides of && || if while are seen"""
        ev = []; seen = set(); last = None
        for s in stubs:
            for m in masks:
                last = self.run(cmd, m, s)
                for e in last.events:
                    k = (e[0], tuple(e[1]))
                    if k not in seen: seen.add(k); ev.append(e)
        return Result(last.status, last.timeout, last.truncated, ev)
    def close(self):
        try: self.w.close()
        except OSError: pass
        try: self.p.wait(3)
        except subprocess.TimeoutExpired: self.p.kill(); self.p.wait()
        if self.own_jail: shutil.rmtree(self.jail, ignore_errors=True)

if __name__ == '__main__':
    ap = argparse.ArgumentParser(); ap.add_argument('cmd', nargs='*'); ap.add_argument('--shell', default='bash'); ap.add_argument('--file'); ap.add_argument('--explore', action='store_true')
    a = ap.parse_args(); o = Oracle(a.shell)
    cmds = a.cmd or [c.decode('utf-8', 'surrogateescape') for c in open(a.file, 'rb').read().split(b'\0') if c]
    for c in cmds: print(json.dumps(dict(cmd=c, **(o.explore(c) if a.explore else o.run(c)).todict())))
    o.close()
