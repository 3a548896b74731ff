import { z } from 'zod';
import { isLoopback } from '../http/loopback.js';
import { kindOf, type SettingKind } from '../settings/kinds.js';
import { faultText, RefusedFile } from './checked-file.js';

/** The path of a file that is checked at the start, and read by whoever follows its changes. */
export const fileOf = (what: string, read: (path: string) => unknown): SettingKind<string> =>
  kindOf(
    `the path of ${what} in YAML or JSON`,
    z.string().superRefine((path, issues) => {
      try {
        read(path);
      } catch (error) {
        if (!(error instanceof RefusedFile)) throw error;
        issues.addIssue(`is refused: ${error.faults.map((fault) => faultText(path, fault)).join('; ')}`);
      }
    }),
  );

/** Over plain HTTP anyone on the way could name other keys. */
export const issuerAddress: SettingKind<string> = kindOf(
  'the address of an issuer as its tokens have it, for example https://login.example.org (http only on loopback)',
  z.string().superRefine((value, issues) => {
    if (!URL.canParse(value)) return issues.addIssue('is not an address');
    const { protocol, hostname, search, hash } = new URL(value);
    const isSafe = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
    if (!isSafe) issues.addIssue('is not an https address');
    else if (search !== '' || hash !== '') issues.addIssue('has more than a host and a path');
  }),
);
