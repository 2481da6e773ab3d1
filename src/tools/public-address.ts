/**
 * Whether an address belongs to the public internet. Everything else (this machine, its networks, where clouds keep the
 * credentials of a machine, addresses that carry one of these inside them) is for nobody who merely names a url.
 */
import ipaddr from 'ipaddr.js';

/** Of the public range and yet inside every machine of one cloud: its wire server. */
const METADATA_ADDRESSES: ReadonlySet<string> = new Set(['168.63.129.16']);
/** All that is handed out of IPv6; what lies beside it is mapped, translated, local or old. */
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/** `address` as a socket or the URL parser spells it, without brackets. What is no address is not public. */
export const isPublicAddress = (address: string): boolean => {
  if (!ipaddr.isValid(address)) return false;
  // A mapped address is judged as what it maps.
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast' || METADATA_ADDRESSES.has(parsed.toString())) return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_UNICAST);
};
