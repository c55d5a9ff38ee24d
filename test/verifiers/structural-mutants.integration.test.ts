import { describeStructuralMutants } from '../support/structural-mutants-suite.js';

describe('a pack whose ZIP was changed around its contents', function () {
  this.timeout(300_000);
  describeStructuralMutants(30);
});
