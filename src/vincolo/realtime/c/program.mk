# counted: a program that counts allocations
model: $(OBJECTS)
	$(CXX) -Wl,--gc-sections -o $@ $(OBJECTS) -lm -lrt

counted: $(KERNEL:.cpp=.o) $(filter-out main.o,$(PROGRAM:.c=.o)) allocations.o
	$(CC) $(C_FLAGS) -DCOUNT_ALLOCATIONS -c main.c -o counted.o
	$(CXX) -Wl,--gc-sections -o $@ $^ counted.o -lm -lrt

