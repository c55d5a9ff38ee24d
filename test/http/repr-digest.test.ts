import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { reprDigest } from '../../src/http/document/file/repr-digest.js';

describe('the digest of a representation', () => {
  it('is written as in RFC 9530', () => {
    // the content and the digest of its appendix B.1
    const sha256 = createHash('sha256').update('{"hello": "world"}\n').digest('hex');
    expect(reprDigest({ sha256 })).to.equal('sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:');
  });
});
