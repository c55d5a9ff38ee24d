import { either as E } from 'fp-ts';
import { categoriesOf, type Registry } from '../../entities/registry.js';
import { type LogLocation, openLog, type OpenLog } from '../../infrastructure/open-stores.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { printNote } from '../output.js';
import { makePrintConnectionEvents } from './connection-events.js';

/** Opens a log for the time that `use` takes. */
export const withLog = async (
  location: LogLocation,
  registry: Registry,
  use: (opened: OpenLog) => Promise<ExitCode>,
): Promise<ExitCode> => {
  const opened = await openLog(location, {
    processKind: 'operator',
    categories: categoriesOf(registry),
    onPostgresLog: printNote,
    onConnectionEvent: makePrintConnectionEvents(printNote),
  });
  if (E.isLeft(opened)) {
    printNote(opened.left.message);
    return EXIT.failed;
  }
  try {
    return await use(opened.right);
  } finally {
    await opened.right.close();
  }
};
