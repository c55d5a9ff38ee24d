import type { SuspectMacs } from '../../event-sourcing/operators/suspect-macs.js';
import { printNote } from '../output.js';
import { counted } from '../plural.js';

/** Says of how many events in a backup nobody can say that the service has sealed them: it is a copy, and judges none. */
export const printSuspects = ({ missing, wrong }: SuspectMacs): void => {
  const found = [
    ...(missing === 0 ? [] : [`${counted(missing, 'event has', 'events have')} no mac`]),
    ...(wrong === 0
      ? []
      : [`${counted(wrong, 'event has', 'events have')} a mac that is not by a key of the settings`]),
  ];
  if (found.length > 0) printNote(`${found.join(', and ')}: the backup has them as they are; see ops log verify`);
};
