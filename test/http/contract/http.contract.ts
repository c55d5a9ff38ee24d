import { startingPostgres } from '../../support/postgres.js';
import type { Stack } from '../../support/running-stack.js';
import { stackOfSuite } from '../../support/stack-of-suite.js';
import { businessesContract } from './businesses.contract.js';
import { callerContract } from './caller.contract.js';
import { changeReasonContract } from './change-reason.contract.js';
import { conditionsContract } from './conditions.contract.js';
import { diffsContract } from './diffs.contract.js';
import { documentsContract } from './documents.contract.js';
import { errorCodesContract } from './error-codes.contract.js';
import { filesContract } from './files.contract.js';
import { findingContract } from './finding.contract.js';
import { historyContract } from './history.contract.js';
import { idempotencyContract } from './idempotency.contract.js';
import { linksContract } from './links.contract.js';
import { listsContract } from './lists.contract.js';
import { ownersContract } from './owners.contract.js';
import { putFileContract } from './put-file.contract.js';
import { rolesContract } from './roles.contract.js';
import { undoContract } from './undo.contract.js';

/** What clients are promised, whatever the service runs on. One stack serves all: each suite knows its own records. */
export const httpContract = (name: string, start: () => Promise<Stack>): Mocha.Suite =>
  describe(`HTTP: ${name}`, function () {
    this.timeout(startingPostgres);

    const suite = stackOfSuite(start);
    businessesContract(suite);
    ownersContract(suite);
    documentsContract(suite);
    filesContract(suite);
    putFileContract(suite);
    linksContract(suite);
    listsContract(suite);
    findingContract(suite);
    historyContract(suite);
    diffsContract(suite);
    changeReasonContract(suite);
    conditionsContract(suite);
    idempotencyContract(suite);
    rolesContract(suite);
    callerContract(suite);
    undoContract(suite);
    errorCodesContract(suite);
  });
