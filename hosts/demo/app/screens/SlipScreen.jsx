import { Pressable, ScrollView, StyleSheet, Text, View } from "react-native"
import { Button } from "../components/Button.jsx"
import { Chevron } from "../components/icons.jsx"
import { Picture } from "../components/Picture.jsx"
import { StatusPill } from "../components/StatusPill.jsx"
import { formatLength, useSettings } from "../parts/settings.js"
import { useTheme } from "../parts/theme.js"

const powers = { on: "On", off: "Off", none: "Not asked for" }

const Fact = ({ name, value }) => {
  const theme = useTheme()
  return (
    <View style={[styles.fact, { borderBottomColor: theme.line }]}>
      <Text style={[styles.factName, { color: theme.muted }]}>{name}</Text>
      <Text style={[styles.factValue, { color: theme.ink }]}>{value}</Text>
    </View>
  )
}

/** One vessel: its picture, its facts, and checking it in or out. */
export const SlipScreen = ({ slip, onBack, onMove }) => {
  const theme = useTheme()
  const { feet, officer } = useSettings()
  const inside = slip.status === "in"
  return (
    <ScrollView showsVerticalScrollIndicator={false} testID="slip" contentContainerStyle={styles.content}>
      <Picture name={slip.image} label={`Drawing of a ${slip.kind.toLowerCase()}`} style={styles.picture} />
      <Pressable
        accessibilityRole="button"
        accessibilityLabel="Back to slips"
        onPress={onBack}
        style={({ pressed }) => [
          styles.back,
          { backgroundColor: theme.surface, boxShadow: theme.shadow },
          pressed && styles.pressed
        ]}
      >
        <Chevron color={theme.ink} size={11} turn={180} />
      </Pressable>
      <View style={[styles.sheet, { backgroundColor: theme.ground }]}>
        <View style={styles.title}>
          <View style={styles.names}>
            <Text accessibilityRole="header" aria-level={1} style={[styles.vessel, { color: theme.ink }]}>
              {slip.vessel}
            </Text>
            <Text style={[styles.kind, { color: theme.muted }]}>
              {slip.kind} at {slip.slip}
            </Text>
          </View>
          <StatusPill status={slip.status} due={slip.due} />
        </View>
        <View>
          <Fact name="Owner" value={slip.owner} />
          <Fact name="Length" value={formatLength(slip.length, feet)} />
          <Fact name="Draught" value={formatLength(slip.draught, feet)} />
          <Fact name="Shore power" value={powers[slip.power]} />
        </View>
        <View style={[styles.note, { backgroundColor: theme.surface }]}>
          <View style={[styles.noteEdge, { backgroundColor: theme.accent }]} />
          <Text style={[styles.noteText, { color: theme.ink }]}>{slip.note}</Text>
        </View>
        <Button
          testID="move"
          quiet={inside}
          label={inside ? "Check out" : "Check in"}
          onPress={() => onMove(inside ? "out" : "in")}
        />
        <Text style={[styles.signed, { color: theme.muted }]}>
          {officer.trim() === "" ? "Nobody has the watch" : `Entered as ${officer.trim()}`}
        </Text>
      </View>
    </ScrollView>
  )
}

const styles = StyleSheet.create({
  content: { width: "100%", maxWidth: 600, alignSelf: "center", flexGrow: 1 },
  picture: { width: "100%", aspectRatio: 3 / 2 },
  back: {
    position: "absolute",
    left: 16,
    top: 16,
    width: 44,
    height: 44,
    borderRadius: 22,
    alignItems: "center",
    justifyContent: "center"
  },
  pressed: { opacity: 0.85, transform: [{ scale: 0.96 }] },
  sheet: {
    flexGrow: 1,
    marginTop: -24,
    borderTopLeftRadius: 28,
    borderTopRightRadius: 28,
    padding: 20,
    paddingTop: 26,
    gap: 18
  },
  title: { flexDirection: "row", alignItems: "flex-start", justifyContent: "space-between", gap: 12 },
  names: { flex: 1, gap: 2 },
  vessel: { fontSize: 28, fontWeight: "800", letterSpacing: -0.5 },
  kind: { fontSize: 15 },
  fact: {
    flexDirection: "row",
    justifyContent: "space-between",
    gap: 16,
    paddingVertical: 13,
    borderBottomWidth: 1
  },
  factName: { fontSize: 15 },
  factValue: { fontSize: 15, fontWeight: "700", flexShrink: 1, textAlign: "right" },
  note: { flexDirection: "row", gap: 14, borderRadius: 16, padding: 16 },
  noteEdge: { width: 4, borderRadius: 2 },
  noteText: { flex: 1, fontSize: 15, lineHeight: 22 },
  signed: { fontSize: 13, textAlign: "center" }
})
