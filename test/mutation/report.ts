type Place = { readonly line: number; readonly column: number };

type Mutant = {
  readonly mutatorName: string;
  readonly status: string;
  readonly replacement?: string;
  readonly location: { readonly start: Place; readonly end: Place };
};

/** As the tool's reporter `json` writes it; lines and columns count from one. */
export type Report = {
  readonly files: Readonly<Record<string, { readonly source: string; readonly mutants: ReadonlyArray<Mutant> }>>;
};

const NOTICED = ['Killed', 'Timeout'];
const UNNOTICED = ['Survived', 'NoCoverage'];

const shorten = (text: string): string => text.replaceAll(/\s+/g, ' ').slice(0, 160);

const textAt = (source: string, { start, end }: Mutant['location']): string => {
  const lines = source.split('\n').slice(start.line - 1, end.line);
  const last = lines.length - 1;
  return lines
    .map((line, at) => line.slice(at === 0 ? start.column - 1 : 0, at === last ? end.column - 1 : undefined))
    .join('\n');
};

/** The score on a line, and then a line for each change that no test noticed. Tests may not end on a machine that is busy, too. */
export const reportOf = ({ files }: Report): string => {
  const all = Object.values(files).flatMap(({ mutants }) => mutants.map(({ status }) => status));
  const noticed = all.filter((status) => NOTICED.includes(status)).length;
  const tried = noticed + all.filter((status) => UNNOTICED.includes(status)).length;
  const survivors = Object.entries(files).flatMap(([file, { source, mutants }]) =>
    mutants
      .filter(({ status }) => UNNOTICED.includes(status))
      .map(({ location, mutatorName, status, replacement = '' }) => {
        const place = `${file}:${location.start.line}:${location.start.column}`;
        const reached = status === 'NoCoverage' ? ', which no test reached' : '';
        return `${place} ${mutatorName}: ${shorten(textAt(source, location))} → ${shorten(replacement)}${reached}`;
      }),
  );
  const late = all.filter((status) => status === 'Timeout').length;
  const score = `${((100 * noticed) / tried).toFixed(1)} of 100: ${noticed} of ${tried} changes were noticed, ${late} of them by tests that did not end`;
  return [score, ...survivors, ''].join('\n');
};
