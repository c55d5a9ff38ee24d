import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { renderVerifier } from '../../src/seal/note-key.js';
import { parseWitnessPolicy } from '../../src/sealing/witness-policy.js';
import { signerNamed } from '../support/checkpoints.js';
import { witnessKey } from '../support/small-witness.js';

const vkeyOf = (n: number): string => witnessKey(`w.example/${n}`, n).vkey;
const [one, two, three] = [vkeyOf(1), vkeyOf(2), vkeyOf(3)];
const log = renderVerifier(signerNamed('log.example').verifier);

const policyOf = (...lines: ReadonlyArray<string>) => parseWitnessPolicy(lines.join('\n'));

const faultOf = (...lines: ReadonlyArray<string>): string => {
  const policy = policyOf(...lines);
  return E.isLeft(policy) ? policy.left : 'none';
};

describe('a policy of witnesses', () => {
  it('says which groups of witnesses are enough, and where they are asked', () => {
    const policy = policyOf(
      '# a comment',
      '#another',
      `log ${log} https://log.example/`,
      '',
      `\twitness X1 ${one}  https://one.example/prefix/ `,
      `witness X2 ${two}`,
      `witness Y ${three} http://127.0.0.1:8080`,
      'group X any X1 X2',
      'group both 2 X Y',
      'quorum both',
      '',
    );
    if (E.isLeft(policy)) throw new Error(policy.left);
    const { logs, witnesses, isQuorum } = policy.right;
    expect(logs.map(({ name }) => name)).to.deep.equal(['log.example']);
    expect(witnesses.map(({ name, cosigner, url }) => [name, cosigner.name, url])).to.deep.equal([
      ['X1', 'w.example/1', 'https://one.example/prefix'],
      ['X2', 'w.example/2', undefined],
      ['Y', 'w.example/3', 'http://127.0.0.1:8080'],
    ]);
    for (const [names, isEnough] of [
      [['X1', 'Y'], true],
      [['X2', 'Y', 'X1'], true],
      [['X1', 'X2'], false],
      [['Y'], false],
      [[], false],
    ] as const)
      expect(isQuorum(new Set(names)), names.join()).to.equal(isEnough);
  });

  it('may need all, one witness, or none', () => {
    const enough = (quorum: ReadonlyArray<string>, names: ReadonlyArray<string>): boolean => {
      const policy = policyOf(`witness a ${one}`, `witness b ${two}`, ...quorum);
      if (E.isLeft(policy)) throw new Error(policy.left);
      return policy.right.isQuorum(new Set(names));
    };
    expect([
      enough(['group g all a b', 'quorum g'], ['a']),
      enough(['group g all a b', 'quorum g'], ['a', 'b']),
    ]).to.deep.equal([...[false, true]]);
    expect([enough(['quorum a'], ['b']), enough(['quorum a'], ['a'])]).to.deep.equal([false, true]);
    expect(enough(['quorum none'], [])).to.equal(true);
  });

  it('may have 65,536 characters, and a number of several digits in a group', () => {
    const lines = Array.from({ length: 12 }, (_, n) => `witness w${n} ${witnessKey(`w/${n}`, n + 1).vkey}`);
    const members = lines.map((_, n) => `w${n}`);
    const text = [...lines, `group g 12 ${members.join(' ')}`, 'quorum g', '#'].join('\n');
    const policy = parseWitnessPolicy(text.padEnd(65_536, 'x'));
    if (E.isLeft(policy)) throw new Error(policy.left);
    expect([members, members.slice(1)].map((names) => policy.right.isQuorum(new Set(names)))).to.deep.equal([
      true,
      false,
    ]);
  });

  it('is refused with the line and what is wrong in it', () => {
    const a = `witness a ${one}`;
    const b = `witness b ${two}`;
    const wrong: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
      [[a], /^it has no line quorum$/],
      [['quorum a', a], /^line 1: it names no witness or group of a line before$/],
      [[a, 'quorum a', 'quorum a'], /^line 3: there is a second quorum$/],
      [[a, 'quorum a b'], /^line 2: the quorum is one name$/],
      [['hello'], /^line 1: a line begins with log, witness, group, quorum or #$/],
      [['__proto__ x'], /^line 1: a line begins with/],
      [['constructor x'], /^line 1: a line begins with/],
      [[`witness a ${log}`], /^line 1: the key of a witness is not of the signature type 4$/],
      [[`witness a ${one.replace('+', '+0')}`], /^line 1: the key of a witness is not of the form/],
      [[`witness a ${one.replace('w.example/1', 'w.example/9')}`], /^line 1: the id in the key of a witness is not/],
      [[`log ${one}`], /^line 1: the verifier key is not for Ed25519$/],
      [[`log ${log}`, `log ${log}`], /^line 2: this log is named twice$/],
      [[a, `witness b ${one}`], /^line 2: the key of this witness is that of another one$/],
      [[a, `witness a ${two}`], /^line 2: the name is taken, or there is none$/],
      [[`witness none ${one}`], /^line 1: the name is taken/],
      [[`witness a ${one} ftp://x`], /^line 1: the address of a witness is/],
      [[`witness a ${one} https://u:p@x`], /^line 1: the address of a witness is/],
      [[`witness a ${one} https://x?y`], /^line 1: the address of a witness is/],
      [[`witness a ${one} https://x y`], /^line 1: a witness has a name, a key and/],
      [[`witness a ${one} xhttp://x`], /^line 1: the address of a witness is/],
      [[`witness a ${one} hello`], /^line 1: the address of a witness is/],
      [[`witness a ${one} https://x#y`], /^line 1: the address of a witness is/],
      [[`log ${log} https://x y`], /^line 1: a log has a key and, if any, one address$/],
      [[a, b, 'group g x1 a b'], /^line 3: the number of a group is/],
      [[a, b, 'group g 1x a b'], /^line 3: the number of a group is/],
      [[a, b, 'group g 3 a b'], /^line 3: the number of a group is/],
      [[a, b, 'group g 0 a b'], /^line 3: the number of a group is/],
      [[a, b, 'group g some a b'], /^line 3: the number of a group is/],
      [[a, 'group g any'], /^line 2: a group has a name, a number/],
      [[a, b, 'group g any a a'], /^line 3: a is a member twice$/],
      [[a, b, 'group g any a', 'group h any a b'], /^line 4: a is a member twice$/],
      [[a, 'group g any g'], /^line 2: it names no witness/],
      [[`${a}\r`], /^line 1: it has a control character$/],
      [[`#${'x'.repeat(70_000)}`], /^it is longer than 65536 characters$/],
      [Array.from({ length: 65 }, (_, n) => `group g${n} any a`), /^line 1: it names no witness/],
      [
        Array.from({ length: 65 }, (_, n) => `witness w${n} ${witnessKey(`w/${n}`, n + 1).vkey}`),
        /^line 65: there are more than 64 lines of this kind$/,
      ],
      [
        Array.from({ length: 65 }, (_, n) => `log ${renderVerifier(signerNamed(`log.example/${n}`, `${n}`).verifier)}`),
        /^line 65: there are more than 64 lines of this kind$/,
      ],
      [
        [a, ...Array.from({ length: 64 }, (_, n) => `group g${n} any ${n === 0 ? 'a' : `g${n - 1}`}`)],
        /^line 65: there are more than 64 lines of this kind$/,
      ],
    ];
    for (const [lines, expected] of wrong) expect(faultOf(...lines), lines.at(-1)).to.match(expected);
  });
});
