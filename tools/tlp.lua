-- SPDX-License-Identifier: BSD-3-Clause
--
-- tlp.lua - Wireshark dissector for the files of cqesim replay --dump-tlp: raw PCIe TLPs of link
-- type USER0.
--
--   wireshark -X lua_script:tlp.lua FILE
--   tshark -X lua_script:tlp.lua -r FILE
--
-- or copy it into Wireshark's folder of personal Lua plugins.  Layout: include/cqesim/tlp.h.

local tlp = Proto("pcietlp", "PCI Express transaction layer packet")

local kinds = {
	[0x00] = "MRd", [0x20] = "MRd", [0x40] = "MWr", [0x60] = "MWr",
	[0x0a] = "Cpl", [0x4a] = "CplD",
}

local f = tlp.fields
f.kind = ProtoField.uint8("pcietlp.kind", "Format and type", base.HEX, kinds)
f.class = ProtoField.uint8("pcietlp.tc", "Traffic class", base.DEC, nil, 0x70)
f.length = ProtoField.uint16("pcietlp.length", "Length in DWs (0: 1024)", base.DEC, nil, 0x03ff)
f.requester = ProtoField.uint16("pcietlp.requester", "Requester", base.HEX)
f.completer = ProtoField.uint16("pcietlp.completer", "Completer", base.HEX)
f.tag = ProtoField.uint16("pcietlp.tag", "Tag", base.DEC)
f.last = ProtoField.uint8("pcietlp.last_be", "Byte enables of the last DW", base.HEX, nil, 0xf0)
f.first = ProtoField.uint8("pcietlp.first_be", "Byte enables of the first DW", base.HEX, nil, 0x0f)
f.address = ProtoField.uint64("pcietlp.address", "Address", base.HEX)
f.status = ProtoField.uint16("pcietlp.status", "Completion status", base.DEC, nil, 0xe000)
f.count = ProtoField.uint16("pcietlp.byte_count", "Bytes left (0: 4096)", base.DEC, nil, 0x0fff)
f.lower = ProtoField.uint8("pcietlp.lower_address", "Lower address", base.HEX, nil, 0x7f)
f.data = ProtoField.bytes("pcietlp.data", "Data")

local function device(id)
	return string.format("%02x:%02x.%d", bit.rshift(id, 8), bit.band(bit.rshift(id, 3), 31),
		bit.band(id, 7))
end

-- Bits 9 and 8 of a tag stand in byte 1 of the header.
local function tag(buffer, at)
	local high = buffer(1, 1):uint()
	return buffer(at, 1):uint() + bit.band(bit.rshift(high, 3), 1) * 256
		+ bit.band(bit.rshift(high, 7), 1) * 512
end

function tlp.dissector(buffer, pinfo, root)
	if buffer:len() < 12 then return 0 end

	local kind = buffer(0, 1):uint()
	local name = kinds[kind] or string.format("type 0x%02x", kind)
	local header = bit.band(kind, 0x20) ~= 0 and 16 or 12
	if buffer:len() < header then return 0 end

	local tree = root:add(tlp, buffer(0, header), "PCI Express TLP: " .. name)
	local dws = bit.band(buffer(2, 2):uint(), 0x3ff)
	if dws == 0 then dws = 1024 end
	tree:add(f.kind, buffer(0, 1))
	tree:add(f.class, buffer(1, 1))
	tree:add(f.length, buffer(2, 2))

	local info
	if bit.band(kind, 0x1f) == 0x0a then
		tree:add(f.completer, buffer(4, 2))
		tree:add(f.status, buffer(6, 2))
		tree:add(f.count, buffer(6, 2))
		tree:add(f.requester, buffer(8, 2))
		tree:add(f.tag, buffer(10, 1), tag(buffer, 10))
		tree:add(f.lower, buffer(11, 1))
		pinfo.cols.src = device(buffer(4, 2):uint())
		pinfo.cols.dst = device(buffer(8, 2):uint())
		info = string.format("%s tag %d, %d B, %d B of the request left", name,
			tag(buffer, 10), dws * 4, bit.band(buffer(6, 2):uint(), 0xfff))
	else
		local address = header == 16 and buffer(8, 8) or buffer(8, 4)
		tree:add(f.requester, buffer(4, 2))
		tree:add(f.tag, buffer(6, 1), tag(buffer, 6))
		tree:add(f.last, buffer(7, 1))
		tree:add(f.first, buffer(7, 1))
		tree:add(f.address, address, address:uint64())
		pinfo.cols.src = device(buffer(4, 2):uint())
		pinfo.cols.dst = "memory"
		info = string.format("%s 0x%s, %d B", name, address:bytes():tohex():lower(), dws * 4)
		if kind == 0x00 or kind == 0x20 then
			info = info .. string.format(", tag %d", tag(buffer, 6))
		end
	end
	if buffer:len() > header then
		tree:add(f.data, buffer(header))
	end
	pinfo.cols.protocol = "TLP"
	pinfo.cols.info = info
	return buffer:len()
end

DissectorTable.get("wtap_encap"):add(wtap.USER0, tlp)
