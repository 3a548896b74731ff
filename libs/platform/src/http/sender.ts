import { z } from 'zod';
import { recordedSender } from '../access/acting.js';

/**
 * The field or parameter `by` of a command. Where a credential is needed, what it claims does not count: the sender is the owner of the
 * credential (`recordedSender`).
 */
export const senderField = (usual = 'operator') =>
  z
    .string()
    .trim()
    .min(1)
    .max(200)
    .overwrite(recordedSender)
    .prefault(usual)
    .describe('Who sends the command. Where a credential is needed, its owner counts instead.');
