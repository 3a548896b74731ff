import { Badge, Box, Button, List, Text, VisuallyHidden } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { api } from '../api/client.js';
import { useAccess } from '../parts/access.js';
import { CommandDialog } from '../parts/command-dialog.tsx';
import { useStops } from '../parts/stops.js';
import { When } from '../parts/when.tsx';

const unknown = 'The stops in force cannot be read. The button still works.';

/** Stops all evictions of the partition, at once, and lets them go on. Within reach on every view. */
export function KillSwitch({ partition }: { partition: string }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const { own, error } = useStops(partition);
  const { mayCommand, because } = useAccess();
  const isStopped = own.some(({ queue }) => queue === null);
  if (mayCommand === undefined) return null;
  if (!mayCommand)
    return (
      <Badge tt="none" variant="default" size="lg" title={because ?? undefined}>
        {isStopped ? 'stopped, read-only' : 'read-only'}
      </Badge>
    );
  return (
    <>
      {error && (
        <>
          <Badge tt="none" color="red.9" role="alert" visibleFrom="sm" title={unknown}>
            stops unknown
          </Badge>
          {/* A narrow header has no room for the words: a mark on the corner of the button takes none. */}
          <Badge
            circle
            variant="default"
            role="alert"
            hiddenFrom="sm"
            pos="absolute"
            top={2}
            right={6}
            title={unknown}
          >
            <span aria-hidden>?</span>
            <VisuallyHidden>stops unknown</VisuallyHidden>
          </Badge>
        </>
      )}
      <Button
        color={isStopped ? 'var(--bad)' : 'red.9'}
        variant={isStopped ? 'outline' : 'filled'}
        onClick={open}
      >
        <Box component="span" hiddenFrom="xs">
          {isStopped ? 'Stopped' : 'Stop'}
        </Box>
        <Box component="span" visibleFrom="xs">
          {isStopped ? 'Stopped: resume' : 'Stop'}
        </Box>
      </Button>
      {isOpen &&
        (isStopped ? (
          <CommandDialog
            title={`Resume evictions in ${partition}`}
            verb="Resume evictions"
            isGrave={false}
            asksReason={false}
            send={({ by }) =>
              api().delete('/v1/kill-switch', { params: { query: { partition, ...(by && { by }) } } })
            }
            onClose={close}
            effect={
              <>
                <Text>
                  Every suspended clock starts again with its whole delay, also those whose runs were stopped.
                  These stops are cleared:
                </Text>
                <List size="sm">
                  {own.map((stop) => (
                    <List.Item key={stop.queue ?? ''} className="foreign">
                      {stop.queue ?? 'the whole partition'}: {stop.reason ?? 'without a reason'}, by {stop.by}
                      , <When at={stop.since} />
                    </List.Item>
                  ))}
                </List>
              </>
            }
          />
        ) : (
          <CommandDialog
            title={`Stop all evictions in ${partition}`}
            verb="Stop all evictions"
            isGrave
            asksReason
            send={({ by, reason = '' }) =>
              api().post('/v1/kill-switch', { body: { partition, reason, ...(by && { by }) } })
            }
            onClose={close}
            effect={
              <Text>
                At once, nothing more is evicted in this partition. Evictions that were requested already may
                still be carried out. Runs end as stopped, and clocks are suspended; when you resume, they
                start again with their whole delay.
              </Text>
            }
          />
        ))}
    </>
  );
}
