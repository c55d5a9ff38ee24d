import { either as E } from 'fp-ts';
import { type Cosigner, parseCosigner } from '../seal/cosignature.js';
import { parseVerifier, type Verifier } from '../seal/note-key.js';

// Which witnesses there are, and how many of them a checkpoint needs: https://c2sp.org/tlog-policy.

/** A witness, by the name that the policy gives it. */
export type PolicyWitness = {
  readonly name: string;
  readonly cosigner: Cosigner;
  /** Where it is asked (its submission prefix), without a slash at its end; undefined: it is not asked. */
  readonly url: string | undefined;
};

export type WitnessPolicy = {
  /** The logs that it is for; none: any. */
  readonly logs: ReadonlyArray<Verifier>;
  readonly witnesses: ReadonlyArray<PolicyWitness>;
  /** Whether cosignatures of these witnesses are enough. */
  readonly isQuorum: (names: ReadonlySet<string>) => boolean;
};

/** More than a policy needs, and fewer than a note has room for. */
const MOST_LINES_OF_A_KIND = 64;
const LONGEST = 64 * 1024;

const NONE = 'none';

type IsMet = (names: ReadonlySet<string>) => boolean;

/** What is wrong with a line. */
class Misfit extends Error {}

const orMisfit = <A>(parsed: E.Either<string, A>): A => {
  if (E.isLeft(parsed)) throw new Misfit(parsed.left);
  return parsed.right;
};

const prefixOf = (text: string): string => {
  const url = URL.parse(text);
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && `${url.username}${url.password}` === '';
  if (!isPlain || url.search !== '' || url.hash !== '')
    throw new Misfit('the address of a witness is one of http or https, without credentials or a query');
  return url.href.replace(/\/$/, '');
};

class Reading {
  readonly logs: Array<Verifier> = [];
  readonly witnesses: Array<PolicyWitness> = [];
  quorum: IsMet | undefined = undefined;
  readonly #named = new Map<string, IsMet>([]);
  readonly #members = new Set<string>();
  #groups = 0;

  readonly #kinds: Readonly<Record<string, (items: ReadonlyArray<string>) => void>> = {
    log: ([key = '', , ...more]) => {
      if (more.length > 0) throw new Misfit('a log has a key and, if any, one address');
      this.#room(this.logs.length);
      const log = orMisfit(parseVerifier(key));
      if (this.logs.some(({ publicKey }) => publicKey.equals(log.publicKey)))
        throw new Misfit('this log is named twice');
      this.logs.push(log);
    },
    witness: ([name = '', key = '', address, ...more]) => {
      if (more.length > 0) throw new Misfit('a witness has a name, a key and, if any, one address');
      this.#room(this.witnesses.length);
      const cosigner = orMisfit(parseCosigner(key));
      if (this.witnesses.some((other) => other.cosigner.publicKey.equals(cosigner.publicKey)))
        throw new Misfit('the key of this witness is that of another one');
      this.#name(name, (names) => names.has(name));
      this.witnesses.push({ name, cosigner, url: address === undefined ? undefined : prefixOf(address) });
    },
    group: ([name = '', threshold = '', ...members]) => {
      this.#room((this.#groups += 1));
      if (members.length === 0) throw new Misfit('a group has a name, a number (or all, or any), and members');
      const count = { any: 1, all: members.length }[threshold] ?? Number(/^[1-9]\d*$/.exec(threshold)?.[0]);
      if (!(count >= 1 && count <= members.length))
        throw new Misfit('the number of a group is all, any, or from 1 to the number of its members');
      const met = members.map((member) => {
        const isMet = this.#find(member);
        if (this.#members.has(member)) throw new Misfit(`${member} is a member twice`);
        this.#members.add(member);
        return isMet;
      });
      this.#name(name, (names) => met.filter((isMet) => isMet(names)).length >= count);
    },
    quorum: ([name = '', ...more]) => {
      if (more.length > 0) throw new Misfit('the quorum is one name');
      if (this.quorum !== undefined) throw new Misfit('there is a second quorum');
      this.quorum = name === NONE ? () => true : this.#find(name);
    },
  };

  take(line: string): void {
    const [kind = '', ...items] = line.split(/[ \t]+/).filter((item) => item !== '');
    if (kind === '' || kind.startsWith('#')) return;
    const take = Object.hasOwn(this.#kinds, kind) ? this.#kinds[kind] : undefined;
    if (take === undefined) throw new Misfit('a line begins with log, witness, group, quorum or #');
    take(items);
  }

  #room(count: number): void {
    if (count >= MOST_LINES_OF_A_KIND)
      throw new Misfit(`there are more than ${MOST_LINES_OF_A_KIND} lines of this kind`);
  }

  #name(name: string, isMet: IsMet): void {
    if (name === '' || name === NONE || this.#named.has(name)) throw new Misfit('the name is taken, or there is none');
    this.#named.set(name, isMet);
  }

  #find(name: string): IsMet {
    const isMet = this.#named.get(name);
    if (isMet === undefined) throw new Misfit('it names no witness or group of a line before');
    return isMet;
  }
}

// eslint-disable-next-line no-control-regex -- those may not stand in a policy
const CONTROL = /[\0-\x08\x0b-\x1f\x7f]/;

/** The policy that a text is. Left: what is wrong with it, and in which line. */
export const parseWitnessPolicy = (text: string): E.Either<string, WitnessPolicy> => {
  if (text.length > LONGEST) return E.left(`it is longer than ${LONGEST} characters`);
  const reading = new Reading();
  for (const [at, line] of text.split('\n').entries())
    try {
      if (CONTROL.test(line)) throw new Misfit('it has a control character');
      reading.take(line);
    } catch (error) {
      if (error instanceof Misfit) return E.left(`line ${at + 1}: ${error.message}`);
      throw error;
    }
  const { logs, witnesses, quorum } = reading;
  return quorum === undefined ? E.left('it has no line quorum') : E.right({ logs, witnesses, isQuorum: quorum });
};
