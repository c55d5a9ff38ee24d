import type { Projections } from '../../projections/engine/run/start-projections.js';

/** Whether some process writes the live rows of all read models, as `/readyz` says it. */
export type UnwrittenRows = {
  /** False while rows that nobody writes lack events: lists then lack acknowledged changes. */
  readonly areComplete: () => Promise<boolean>;
  /** By the text of the warning: whether nobody writes the rows of that read model. */
  readonly warnings: Readonly<Record<string, () => boolean>>;
};

/** Says of each read model when nobody has written its live rows for ten seconds. */
export const watchUnwrittenRows = ({ all }: Pick<Projections, 'all'>): UnwrittenRows => ({
  areComplete: () =>
    Promise.resolve(
      all.every(({ status }) => {
        const { isBehind, isUnwritten } = status();
        return !isBehind || !isUnwritten;
      }),
    ),
  warnings: Object.fromEntries(
    all.map(({ name, status }) => [`nobody writes the rows: ${name}`, () => status().isUnwritten]),
  ),
});
