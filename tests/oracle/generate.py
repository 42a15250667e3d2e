"""small grammar-based generator of shell command strings + byte-level mutator. gen(rng) -> str"""
import random
CMD = ['c1', 'c2', 'ls', 'cat', 'git', './s', '/bin/d', 'echo', ':', 'true', 'test', '[', 'printf', 'read', 'cd', 'set', 'command', 'time', '!', 'x-y', 'if', 'a1']
ARG = ['a', 'b', '-x', '--y=z', 'f.txt', '1', '22', 'a=b', 'a[0]', '-', '--', '..', 'x/y', ']', '}', 'then', 'in', ':', '%', '^', '@', '+', '=', 'é', '!']
NASTY = ['#', '\\', "'", '"', '$', '`', '{', '}', '(', ')', '<', '>', '&', '|', ';', '\n', '\t', ' ', '\r', '*', '?', '[', ']', '~', '!', '=', ',', '\\\n', '<<', '$(', '${', '$((', '<(', "$'", '$"', '((', '[[', ']]', '\\ ', '\\#', ';;', '&>', '>&', '\x0b', '\u00a0', '0', '2']
def pick(r, *opts):
    tot = sum(w for w, _ in opts); x = r.random() * tot
    for w, f in opts:
        x -= w
        if x < 0: return f()
    return opts[-1][1]()
class Gen:
    def __init__(s, r, depth=3): s.r, s.d = r, depth
    def bare(s): return s.r.choice(ARG)
    def sq(s): return "'" + ''.join(s.r.choice(['a', ' ', '#', '$x', ';', '"', '\\', '\n', 'c9', '$(c9)', '`c9`']) for _ in range(s.r.randint(0, 3))) + "'"
    def dq(s):
        def piece():
            return pick(s.r, (5, lambda: s.r.choice(['a', ' ', '#', "'", ';', '\\"', '\\\\', '\\$', '\n', '!', '$', '\\a', '\\`'])), (1, lambda: s.sub()), (1, lambda: '$x'), (1, lambda: s.param()))
        return '"' + ''.join(piece() for _ in range(s.r.randint(0, 3))) + '"'
    def ansi(s): return "$'" + ''.join(s.r.choice(['a', "\\'", '\\n', '\\x63', '\\\\', '"', '#', ';', '\\0']) for _ in range(s.r.randint(0, 3))) + "'"
    def param(s): return s.r.choice(['$x', '${x}', '${x:-d}', "${x:-'c9'}", '${#x}', '${x#a}', '${x/a/b}', '$1', '$@', '$$', '$?', '${x[0]}', '${x%]*}', '${!x}'])
    def sub(s):
        if s.d <= 0: return '$(c9)'
        return pick(s.r, (3, lambda: '$(' + Gen(s.r, s.d - 1).lst() + ')'), (1, lambda: '`c8 a`'), (1, lambda: '$((1+2))'), (1, lambda: '${x:-$(c9)}'), (1, lambda: '<(c7)'))
    def word(s):
        w = ''.join(pick(s.r, (8, s.bare), (2, s.sq), (2, s.dq), (1, s.ansi), (1, s.param), (1, s.sub), (1, lambda: s.r.choice(['\\ ', '\\#', '\\;', '\\\n', '\\a', '\\$', '{a,b}', '{1..2}', '*', '~', '#b']))) for _ in range(pick(s.r, (6, lambda: 1), (3, lambda: 2), (1, lambda: 3))))
        return w
    def redir(s): return s.r.choice(['>', '>>', '<', '2>', '&>', '>|', '<>', '>&', '2>&1 ', '>&2 ', '<<<', '1>', '22>']) + s.r.choice(['', ' ']) + s.r.choice(['o1', 'o2', '/dev/null', '"o 3"', '2', 'x\\ y'])
    def simple(s):
        p = [s.r.choice(['A=1', 'B=', "C='x y'", 'D=$(c9)', 'E+=1', 'a[0]=1', 'F=#x'])] if s.r.random() < .12 else []
        if s.r.random() < .06: p.append(s.redir())
        p.append(pick(s.r, (9, lambda: s.r.choice(CMD)), (1, s.word)))
        for _ in range(s.r.choice([0, 1, 1, 2, 3])):
            p.append(s.redir() if s.r.random() < .12 else s.word())
        return s.r.choice([' ', ' ', ' ', ' ', '  ', '\t', ' \\\n']).join(p)
    def cmd(s):
        if s.d <= 0 or s.r.random() < .8: return s.simple()
        g = Gen(s.r, s.d - 1)
        return pick(s.r, (2, lambda: '(' + g.lst() + ')'), (2, lambda: '{ ' + g.lst() + '; }'), (1, lambda: 'if ' + g.lst() + '; then ' + g.lst() + '; fi'), (1, lambda: 'for i in a b; do ' + g.lst() + '; done'),
            (1, lambda: 'case a in a) ' + g.lst() + ';; esac'), (1, lambda: '[[ ' + s.r.choice(['-n a', 'a = b', 'a < b', '-v x', 'a =~ (b)']) + ' ]]'), (1, lambda: '(( x = 1 ))'), (1, lambda: 'f() { ' + g.lst() + '; }; f'), (1, lambda: 'while false; do ' + g.lst() + '; done'),
            (1, lambda: 'cat <<' + s.r.choice(['E', "'E'", '-E', '"E"', '\\E']) + s.r.choice(['', '', '; c6', ' | c6', ' >o9', ' && c6']) + '\n' + s.r.choice(['hi', '$(c5)', '`c5`', '$x', "it's", '\\$(c5)', '#']) + '\nE\n' + s.simple()))
    def lst(s):
        out = s.cmd()
        for _ in range(pick(s.r, (6, lambda: 0), (3, lambda: 1), (1, lambda: 2))):
            out += s.r.choice(['; ', ' && ', ' || ', ' | ', '\n', ' & ', ';', '|', '&&', ' |& ', ' # c\n', " # it's\n", '\n# x\n']) + s.cmd()
        return out
def mutate(r, t):
    b = list(t)
    for _ in range(r.choice([1, 1, 2, 3])):
        i = r.randint(0, len(b)); k = r.random()
        if k < .55: b.insert(i, r.choice(NASTY))
        elif k < .75 and b: del b[min(i, len(b) - 1)]
        elif k < .9 and b: b[min(i, len(b) - 1)] = r.choice(NASTY)
        elif b: j = r.randint(0, len(b)); b[i:i] = b[min(i, j):min(max(i, j), min(i, j) + 6)]
    return ''.join(b)
def gen(r):
    t = Gen(r).lst()
    return mutate(r, t) if r.random() < .4 else t
if __name__ == '__main__':
    import sys
    r = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
    for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 20): print(repr(gen(r)))
