/** SF Symbols, which can't be distributed: the nearest icons of Ionicons stand for them. */
import type { Notes } from "../runtime/notes.ts"
import { symbolFamily } from "../settings/fonts.ts"
import { fontFamily } from "../style/paint.ts"
import { element } from "./Component.ts"

/**
 * The symbols, with the icon where its name differs, its glyph from `firstGlyph` on, and how far behind it that of the
 * outline is, unless it is the next.
 */
const table =
  "accessibility:257 airplane:266 alarm:269 applewatch=watch:1580 archivebox=archive:293 arrow.clockwise=refresh:1301+4 " +
  "arrow.counterclockwise=refresh:1301+4 arrow.down=arrow-down:302+4 arrow.left=arrow-back:296+4 " +
  "arrow.right.square=exit:734 arrow.right=arrow-forward:308+4 arrow.triangle.2.circlepath=sync:1463+4 " +
  "arrow.up.right=open:1160 arrow.up=arrow-up:326+4 arrow.uturn.backward=arrow-undo:320+4 at:332+4 " +
  "backward=play-back:1224+4 bag:344+10 barcode:374 battery.100=battery-full:392 bed.double=bed:401 " +
  "bell.slash=notifications-off:1146+4 bell=notifications:1142+10 bicycle:407 bolt=flash:791+4 book:422 bookmark:425 " +
  "books.vertical=library:950 briefcase:434 bubble.left.and.bubble.right=chatbubbles:536 bubble.left=chatbubble:530+4 " +
  "bubble.right=chatbubble:530+4 building.2=business:455 bus:452 calendar:464+7 camera:476 car:482 cart:515 " +
  "chart.bar=bar-chart:368 chart.line.uptrend.xyaxis=trending-up:1532 chart.pie=pie-chart:1208 " +
  "checkmark.circle=checkmark-circle:543 checkmark.seal=shield-checkmark:1401 checkmark:542+10 " +
  "chevron.down=chevron-down:563+4 chevron.left.forwardslash.chevron.right=code-slash:623 " +
  "chevron.left.slash.chevron.right=code-slash:623 chevron.left=chevron-back:554+4 chevron.right=chevron-forward:572+4 " +
  "chevron.up=chevron-up:578+4 circle=ellipse:716 clipboard:584 clock=time:1502 cloud.rain=rainy:1289 " +
  "cloud.sun=partly-sunny:1169 cloud:593+13 creditcard=card:488 cross.case=medkit:1100 cube:665 cup.and.saucer=cafe:458 " +
  "desktopcomputer=desktop:671 doc.on.doc=copy:656 doc.text=document-text:692 doc=document:683+7 " +
  "dollarsign.circle=cash:518 drop=water:1583 dumbbell=barbell:371 ellipsis.circle=ellipsis-horizontal-circle:720 " +
  "ellipsis=ellipsis-horizontal:719+4 envelope=mail:1073+4 exclamationmark.circle=alert-circle:276 " +
  "exclamationmark.triangle=warning:1577 eye.slash=eye-off:744 eye:743+4 faceid=scan:1367+4 figure.walk=walk:1571 " +
  "flag:785 flame:788 folder:806+4 fork.knife=restaurant:1334 forward=play-forward:1233+4 " +
  "gamecontroller=game-controller:821 gear=settings:1388 gearshape=settings:1388 gift:824 globe:848 " +
  "graduationcap=school:1373 hammer:857 hand.raised=hand-left:860 hand.thumbsdown=thumbs-down:1490 " +
  "hand.thumbsup=thumbs-up:1493 headphones=headset:872 heart:875+13 house=home:899 info.circle=information-circle:921 " +
  "ipad=tablet-portrait:1472 iphone=phone-portrait:1205 key:932 ladybug=bug:443 laptopcomputer=laptop:941 leaf:947 " +
  "lightbulb=bulb:449 line.3.horizontal.decrease=filter:770+4 line.3.horizontal=menu:1106 line.horizontal.3=menu:1106 " +
  "link:953 list.bullet=list:956+4 list.dash=list:956+4 location.north=navigate:1133+4 location:965 " +
  "lock.open=lock-open:971 lock=lock-closed:968 magnifyingglass=search:1376+4 map:1091 mappin.and.ellipse=location:965 " +
  "mappin=pin:1211 message=chatbubble:530+4 mic:1109+10 minus.circle=remove-circle:1314 minus=remove:1313+4 moon:1121 " +
  "music.note=musical-notes:1130 network=globe:848 newspaper:1139 number=keypad:935 paintbrush=brush:440 " +
  "paintpalette=color-palette:638 paperplane=paper-plane:1166 pause:1172+4 pawprint=paw:1178 pencil:1181 " +
  "person.2=people:1184+4 person.3=people:1184+4 person.badge.plus=person-add:1191 person.circle=person-circle:1194 " +
  "person.crop.circle=person-circle:1194 person:1190+7 phone=call:473 photo.on.rectangle=images:914 photo=image:911 " +
  "pills=medkit:1100 play.circle=play-circle:1230 play:1223+16 plus.circle=add-circle:261 plus=add:260+4 power:1256 " +
  "printer=print:1265 qrcode=qr-code:1277 questionmark.circle=help-circle:894 rectangle.grid.2x2=grid:854 " +
  "rectangle.portrait.and.arrow.right=log-out:977 safari=compass:644 scissors=cut:668 shield:1400+7 shippingbox=cube:665 " +
  "slider.horizontal.3=options:1163 snowflake=snow:1418 sparkles:1421 speaker.slash=volume-mute:1565 " +
  "speaker.wave.2=volume-high:1556 sportscourt=football:812 square.and.arrow.down=download:698 " +
  "square.and.arrow.up=share:1394 square.and.pencil=create:659 square.grid.2x2=grid:854 square:1427 star:1430+4 " +
  "stethoscope=medical:1097 stop:1439+4 stopwatch:1445 sun.max=sunny:1454 tag=pricetag:1259 terminal:1481 " +
  "text.bubble=chatbox-ellipses:525 textformat=text:1484 timer:1505 tram=train:1517 trash:1523+4 tray=file-tray:758+4 " +
  "triangle:1535 trophy:1538 tv:1541 video=videocam:1550+4 viewfinder=scan:1367+4 wand.and.stars=color-wand:641 " +
  "wifi.slash=cloud-offline:603 wifi:1586 wrench=build:446 xmark.circle=close-circle:588 xmark=close:587+4"

const firstGlyph = 59_648

interface Glyph {
  readonly icon: string
  readonly filled: number
  readonly outline: number
}

let glyphs: ReadonlyMap<string, Glyph> | undefined

const readTable = (): ReadonlyMap<string, Glyph> =>
  new Map(
    table.split(" ").map((row) => {
      const [, symbol = "", icon = symbol, glyph = "", offset = "1"] =
        /^([^=:]+)(?:=([^:]+))?:(\d+)(?:\+(\d+))?$/.exec(row) ?? []
      const filled = firstGlyph + Number(glyph)
      return [symbol, { icon, filled, outline: filled + Number(offset) }]
    })
  )

/** The glyph of a symbol, or of the symbol that its name begins with. */
const glyphOf = (symbol: string): (Glyph & { readonly isFilled: boolean }) | undefined => {
  glyphs ??= readTable()
  const parts = symbol.split(".")
  for (let count = parts.length; count > 0; count -= 1) {
    const glyph = glyphs.get(parts.slice(0, count).join("."))
    if (glyph !== undefined) return { ...glyph, isFilled: parts.includes("fill") }
  }
  return undefined
}

/**
 * A symbol of a size in points, in the color of the text around it. One without a similar icon is a dashed square, and so
 * may be a drawable: a picture that is in the binary of an Android app.
 */
export const drawSymbol = (
  symbol: string,
  size: number,
  notes: Notes,
  kind: "SF Symbol" | "drawable" = "SF Symbol"
): HTMLElement => {
  const drawn = element("icon")
  const { style } = drawn
  style.cssText = `box-sizing:border-box;flex:none;width:${size}px;height:${size}px;font:${size}px/1 sans-serif;text-align:center`
  const glyph = glyphOf(symbol)
  notes.missing(kind, glyph === undefined ? symbol : `${symbol}, drawn as ${glyph.icon} of Ionicons`)
  drawn.title = `${kind} ${symbol}`
  if (glyph === undefined) {
    style.border = "1.5px dashed"
    style.borderRadius = "6px"
  } else {
    style.fontFamily = fontFamily(symbolFamily)
    drawn.ariaHidden = "true"
    drawn.textContent = String.fromCodePoint(glyph.isFilled ? glyph.filled : glyph.outline)
  }
  return drawn
}
