import type { DocumentRejection } from '../../domain/document/rejections.js';
import { conflict, notFound } from '../problem/problem.js';
import { withRejections } from '../problem/rejected.js';

export const withDocumentRejections = withRejections<DocumentRejection>({
  DocumentNotFound: notFound,
  DocumentAlreadyExists: conflict('The document exists already'),
});
