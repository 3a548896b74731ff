import { ApiQuery } from '@nestjs/swagger';
import { z } from 'zod';

/* Query parameters that requests for configurations share. */

export const senderName = z.object({ by: z.string().trim().min(1).max(200).optional() });

export const QueryOfSender = () =>
  ApiQuery({ name: 'by', required: false, description: 'The name of the sender, recorded in the history.' });

export const QueryOfDryRun = (effects = 'what would change, as for a configuration; nothing is kept') =>
  ApiQuery({ name: 'dryRun', required: false, type: Boolean, description: `\`true\`: ${effects}` });

/** `?dryRun` and `?dryRun=true`. */
export const isSet = (written: string | undefined): boolean => written === 'true' || written === '';
