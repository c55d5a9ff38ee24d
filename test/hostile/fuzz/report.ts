import type { Case } from './session.js';

/** Longest text of a body, a path or a header that is shown. */
const SHOWN = 1500;

const cut = (text: string): string =>
  text.length > SHOWN ? `${text.slice(0, SHOWN)}… (${text.length} characters)` : text;

const escaped = (character: string): string => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;

const shownBytes = (bytes: Buffer): string => cut(bytes.toString().replace(/(?![\t\n])\p{Cc}/gu, escaped));

const pairsOf = (headers: ReadonlyArray<string>): ReadonlyArray<string> =>
  headers.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${headers[index + 1] ?? ''}`] : []));

/** A case in full: what was sent, and what came back. */
export const describeCase = ({ number, operation, mutation, wire, answer, faults }: Case): string => {
  const sent = [`${wire.method} ${cut(wire.path)}`, ...pairsOf(wire.headers).map(cut)];
  const received =
    answer === undefined
      ? []
      : [`${answer.status}`, ...Object.entries(answer.headers).map(([name, value]) => `${name}: ${String(value)}`)];
  return [
    `case ${number}: ${operation.id}, ${mutation}`,
    ...faults.map((fault) => `  ! ${cut(fault)}`),
    ...sent.map((line) => `  > ${line}`),
    ...(wire.body === undefined ? [] : [`  > ${shownBytes(wire.body)}`]),
    ...received.map((line) => `  < ${line}`),
    ...(answer === undefined ? [] : [`  < ${shownBytes(answer.bytes)}`]),
  ].join('\n');
};

/** A fault without what is different each time: identifiers, numbers, paths. */
const kindOf = (fault: string): string =>
  fault
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '…')
    .replace(/\/\d+/g, '/…')
    .replace(/"-?\d+"|\[\d+\]/g, '…')
    .slice(0, 200);

/** Kinds of failures that are kept. */
const MOST_KINDS = 200;

/** Failures that differ in more than their values: by operation, status and fault. */
export class Failures {
  readonly #distinct = new Map<string, { readonly first: Case; count: number }>();

  add(failed: Case): void {
    for (const fault of failed.faults) {
      if (this.#distinct.size >= MOST_KINDS) return;
      const key = [failed.operation.id, failed.answer?.status ?? 0, kindOf(fault)].join(' ');
      const known = this.#distinct.get(key) ?? { first: failed, count: 0 };
      known.count += 1;
      this.#distinct.set(key, known);
    }
  }

  count(): number {
    return this.#distinct.size;
  }

  /** Each with its first case, and how to repeat that. */
  describe(repeat: (number: number) => string): string {
    return [...this.#distinct.entries()]
      .map(
        ([key, { first, count }]) => `${count} × ${key}\n${describeCase(first)}\n  repeat it: ${repeat(first.number)}`,
      )
      .join('\n\n');
  }
}
