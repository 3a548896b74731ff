/** The partition of a command, of a file or of a request that names none. */
export const defaultPartition = 'default';

/**
 * The option of a command for that partition, with a space in front. Also for `default`: the shell that runs the command may
 * select another partition by a context or by CURTAIL_PARTITION. The command line leaves it out where that is not so.
 */
export function partitionOptionText(partition: string): string {
  return ` --partition ${partition}`;
}

/** The options of a command for a queue of a partition; without a queue for the whole partition. A space in front. */
export function placeOptions(partition: string, queue: string | null | undefined): string {
  return `${partitionOptionText(partition)}${queue ? ` --queue ${queue}` : ''}`;
}
