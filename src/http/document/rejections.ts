import type { DocumentRejection } from '../../domain/document/rejections.js';
import { conflict, notFound } from '../problem/problem.js';
import { withRejections } from '../problem/rejected.js';

export const withDocumentRejections = withRejections<DocumentRejection>({
  DocumentNotFound: notFound('document_not_found'),
  DocumentAlreadyExists: conflict('document_exists', 'The document exists already'),
});
