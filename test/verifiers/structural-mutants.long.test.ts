import { describeStructuralMutants } from '../support/structural-mutants-suite.js';

describe('10,000 packs whose ZIPs were changed around their contents', function () {
  this.timeout(3_600_000); // 10,000 verifications by two programs, and each that one of them takes unpacked by four others
  describeStructuralMutants(1_000);
});
