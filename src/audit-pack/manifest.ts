/** What a manifest says of the pack as a whole. */
export type PackHead = {
  readonly origin: string;
  /** ISO 8601, UTC, with milliseconds. */
  readonly created: string;
  readonly withData: boolean;
  readonly records: number;
  readonly events: number;
  /** Decisions of operators about these records. */
  readonly decisions: number;
};

/** A member of the pack, as the manifest names it. */
export type ListedMember = { readonly name: string; readonly sha256: string; readonly bytes: number };

/** The form of the pack: what report.html follows from. Verifiers know those before it, too. */
const FORMAT = 'audit-pack/v2';

/** By the bytes of their names, which are ASCII. */
export const byName = (one: { readonly name: string }, other: { readonly name: string }): number =>
  Number(one.name > other.name) - Number(one.name < other.name);

/** `included` or `withheld`. */
export const wordForData = ({ withData }: Pick<PackHead, 'withData'>): string => (withData ? 'included' : 'withheld');

/** The text of `manifest.txt`, to be signed as a note. The members are in the order of their names. */
export const renderManifest = (head: PackHead, members: ReadonlyArray<ListedMember>): string => {
  const { origin, created, records, events, decisions } = head;
  const opening = [
    FORMAT,
    `origin ${origin}`,
    `created ${created}`,
    `data ${wordForData(head)}`,
    `records ${records}`,
    `events ${events}`,
    `decisions ${decisions}`,
  ];
  const lines = members.map(({ sha256, bytes, name }) => `${sha256} ${bytes} ${name}`);
  return [...opening, ...lines].map((line) => `${line}\n`).join('');
};
