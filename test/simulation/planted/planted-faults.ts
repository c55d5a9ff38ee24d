import { faultsOfCommands } from './faults/commands.js';
import { faultsOfErasing } from './faults/erasing.js';
import { faultsOfReads } from './faults/reads.js';
import { faultsOfRebuilding } from './faults/rebuilding.js';
import { faultsOfRows } from './faults/rows.js';
import { faultsOfSealing } from './faults/sealing.js';
import { faultsOfSql } from './faults/sql.js';
import { faultsOfUndoing } from './faults/undoing.js';
import type { PlantedFault } from './planted-fault.js';

/** Every fault that the simulation is to find. */
export const plantedFaults: ReadonlyArray<PlantedFault> = [
  ...faultsOfCommands,
  ...faultsOfRows,
  ...faultsOfRebuilding,
  ...faultsOfSealing,
  ...faultsOfReads,
  ...faultsOfUndoing,
  ...faultsOfErasing,
  ...faultsOfSql,
];
