/** `quota-lowered` as `quota lowered`. */
export const words = (code: string): string => code.replaceAll('-', ' ');

export const because = ({ reason }: { reason?: string | undefined }): string => (reason ? `: ${reason}` : '');

export const partOf = (queue: string | null): string => queue ?? 'the partition';
