// The vocabulary of invented advisories: plain words for prose, and syllables that make up names nobody uses.
// Large on purpose: a compressor must not find a synthetic feed easier than a real one.

function list(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

export const NOUNS = list(`
  account action address agenda album alert alias anchor answer archive arrow article atlas audit avatar award badge
  balance banner barrel basket batch beacon bell bench binder block board booking border bottle branch bridge bucket
  budget buffer bundle button cabin cable cache calendar camera campaign canvas caption card carousel cart catalog
  category channel chapter chart checkout circle client clock cloud coach code column comment compass contact container
  content control cookie corner counter coupon course cover credit cursor customer dashboard deck delivery device
  diagram dialog directory discount display document domain donation door draft drawer editor element email embed
  endpoint engine entry envelope event export fabric factory feed fence field figure file filter finder flag folder
  footer forecast form forum fragment frame gadget gallery garden gate gauge glossary graph grid group guest guide
  handler harbor header helper hook hotel icon image import index inbox insight invoice island item job journal key
  kitchen label ladder lantern layer layout ledger lesson library license link list loader locator lock log login
  lookup magnet mail manager map marker market matrix meadow meeting member memory menu message meter mirror module
  monitor mosaic movie network newsletter note notice number object offer order outline page palette panel parcel
  parser partner password patch path payment pencil permission phone photo picker pipeline pixel planner player plot
  pocket podcast poll popup portal portfolio poster preview price printer profile project prompt quest queue quiz quote
  rack radar range rating reader receipt recipe record redirect region registry relay reminder report request reservation
  resource response reward ribbon river role roster route router row sample schedule schema screen script season section
  segment selector sensor session setting shelf shield shipment shop shortcode sidebar signal sitemap slider slot snippet
  socket source sponsor stage stamp station statistic step stock storage store story stream student style subscriber
  summary survey switch symbol tab table tag target task team template tenant term test theme thread ticket tile timer
  token tool tooltip topic tower tracker trail transfer transition translator tree trigger tunnel upload user utility vault
  vendor video viewer visitor voucher wallet warehouse weather webhook widget window wizard worker workflow workshop zone
`);

export const ADJECTIVES = list(`
  absent active adjacent ancient anonymous automatic available bare basic blank bright broad broken bundled busy careful
  careless central cheap classic clean clear clever closed cold common compact complete complex crafted crowded current
  custom daily dark deep default delayed dense direct distant double dry dynamic early easy elastic embedded empty
  encoded equal exact exotic expired exposed external extra fair familiar far fast final fixed flat foreign formal former
  fragile free fresh front full general generous gentle global grand greedy hard heavy hidden high hollow honest huge
  idle imported inactive incoming inner internal invisible joint keen known large late lazy legacy light linked little
  local lone long loose loud low main manual many merged mild minor missing mobile modern modest mutable naive narrow
  native nested neutral noisy normal obscure odd old open optional ordinary outer outgoing partial passive patient plain
  polite popular possible previous private proper public pure quick quiet random rapid rare raw ready recent regular
  related remote repeated rough round safe scoped secondary secret separate shallow shared sharp short silent simple
  single slow small smooth soft solid sparse special stable stale static steady stored strange strict strong sudden
  temporary tender thin tidy tight tiny trusted unchecked uncommon unescaped unfiltered unique unsafe unsigned untrusted
  unused upper usual vague valid vast visible volatile warm weak whole wide wild wrong
`);

/** All regular: -s and -ed can simply be added. */
export const VERBS = list(`
  abandon accept accord account adapt adjust alert answer append appoint assert assign attempt attract await block
  borrow check claim collect concern confirm connect consult contain convert correct defend deflect delay deliver
  demand detect direct discard display distort disturb divert end enter exhaust expand expect explain exploit export
  extend extract fetch filter flatten follow forward gather grant guard hint import inherit inject insert inspect
  intercept invent invert join leak lengthen limit list load lock mark mask mention mirror mount number obtain offer
  overload present prevent print profit prompt protect pull question reconstruct record redirect reflect reject
  reload render repair repeat report request resist respect respond restart restrict return reveal sanction select
  sort spawn start suggest support suspect target test trail transform transport trick trust twist unlock unpack
  visit wait walk warrant weaken
`);

export const ADVERBS = list(`
  almost again already always barely blindly briefly carefully clearly directly early easily eagerly entirely evenly
  exactly finally freely fully gently hardly hastily instantly lately lazily loosely mostly nearly never normally often
  openly partly plainly poorly quickly quietly rarely readily remotely seldom silently simply slowly sometimes soon
  strictly suddenly twice usually weakly widely wrongly
`);

export const ROLES = list(`
  administrators attackers authors bystanders contributors customers editors guests instructors managers members
  moderators operators subscribers translators vendors visitors volunteers
`);

/** Names in other scripts and with accents, a few per feed. */
export const FOREIGN_NAMES = list(`
  Ärmelkanal Blåbær Café Čajovna Ελιά Größenwahn Île Łódka Mañana Ñandú Přístav Приём Smørbrød Straße Żaba さくら 灯台 바다 مرفأ
`);

const ONSETS = list(`
  b bl br c cl cr d dr f fl fr g gl gr h j k kr l m n p pl pr qu r s sk sl sp st str t tr tw v w y z
`);
const RIMES = list(`
  abo ade agon alto amber ando anto arlo asta avo elia ember endo enza erro esk etto evin idian iffo ilo imba indle ino
  iro isto ivar oberon ocus odo olin ombra onda opal orbit osto otter ovia ubo udra ulo umber undo uro usk uvio
`);

/** Some two thousand names in lower case, all different. */
export const INVENTED = [...new Set(ONSETS.flatMap((onset) => RIMES.map((rime) => onset + rime)))];

export function capitalized(word: string): string {
  return word[0].toUpperCase() + word.slice(1);
}
