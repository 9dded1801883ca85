/** What the service writes into the page: who may register, and whether it sends mail. */
export type ServiceFacts = { registration: 'open' | 'verified' | 'closed'; sendsMail: boolean };

const MODES: Readonly<Record<string, ServiceFacts['registration']>> = {
  open: 'open',
  verified: 'verified',
  closed: 'closed',
};

/** Read from the attributes of the page's root element; as a service with `REGISTRATION=open` where there are none. */
export function factsOf({
  dataset,
}: {
  dataset: Readonly<Record<string, string | undefined>>;
}): ServiceFacts {
  return { registration: MODES[dataset.registration ?? ''] ?? 'open', sendsMail: 'mail' in dataset };
}
